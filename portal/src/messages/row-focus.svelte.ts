import { tick } from 'svelte'
import type { VirtualizerHandle } from 'virtua/svelte'
import { rowIn } from './keep-scroll-position.ts'
import type { Row } from './lay-out.ts'

interface View {
  readonly rows: readonly Row[]
  readonly scroller: HTMLElement | undefined
  readonly list: Pick<VirtualizerHandle, 'scrollToIndex'> | undefined
}

/** The visible rows, by index. */
interface InView {
  readonly first: number
  readonly last: number
  /** The lowest row that is fully visible. Absent: the reader is at the end. */
  readonly lowest: number | undefined
}

/** Which row Tab reaches and which has the focus, as rows are added and removed. */
export class RowFocus {
  readonly #view: View
  #currentKey = $state<string>()
  #focusedKey = $state<string>()
  /** The focus is moving to the current row. */
  #moving = $state(false)
  /** The row that a link led to: Tab goes there while it is visible. */
  #requestedKey: string | undefined
  #focusedAt = 0
  readonly #index = $derived.by(() => {
    const index = this.#view.rows.findIndex(({ key }) => key === this.#currentKey)
    return index < 0 ? this.#view.rows.length - 1 : index
  })

  constructor(view: View) {
    this.#view = view
  }

  /** The index of the one row that Tab reaches, by default the last. */
  get index(): number {
    return this.#index
  }

  get row(): Row | undefined {
    return this.#view.rows[this.#index]
  }

  /** The key of the row that has the focus, itself or inside. */
  get key(): string | undefined {
    return this.#focusedKey
  }

  /** The focus is in the list or moving to it: its row must stay in the page. */
  get isHere(): boolean {
    return this.#focusedKey !== undefined || this.#moving
  }

  entered(target: EventTarget | null): void {
    this.#focusedKey = keyAt(target)
    if (this.#focusedKey === undefined) return
    this.#currentKey = this.#focusedKey
    this.#focusedAt = this.#index
  }

  left(): void {
    this.#focusedKey = undefined
  }

  /** A link led to a row. */
  ask(key: string | undefined): void {
    this.#requestedKey = key
    this.#currentKey = key
  }

  /** The reader scrolled: Tab goes to what is visible. */
  follow({ first, last, lowest }: InView): void {
    if (this.#focusedKey !== undefined) return
    const { rows } = this.#view
    const requested = rows.findIndex(({ key }) => key === this.#requestedKey)
    if (requested < first || requested > last) this.#requestedKey = undefined
    this.#currentKey = this.#requestedKey ?? (lowest === undefined ? undefined : rows[lowest]?.key)
  }

  async moveTo(index: number): Promise<void> {
    const { rows, list } = this.#view
    const row = rows[Math.max(0, Math.min(index, rows.length - 1))]
    if (!row) return
    this.#currentKey = row.key
    this.#moving = true
    list?.scrollToIndex(rows.indexOf(row), { align: 'nearest' })
    await tick()
    this.#element(row.key)?.focus({ preventScroll: true })
    this.#moving = false
  }

  /** Moves the focus from inside a row to the row itself. */
  backToRow(): void {
    if (this.#focusedKey !== undefined) this.#element(this.#focusedKey)?.focus()
  }

  /** When the focused row is removed, the row in its place gets the focus. */
  keep(): void {
    const { rows } = this.#view
    if (this.#focusedKey === undefined || rows.some(({ key }) => key === this.#focusedKey)) return
    this.#focusedKey = undefined
    if (document.activeElement === document.body) void this.moveTo(Math.min(this.#focusedAt, rows.length - 1))
  }

  #element(key: string): HTMLElement | null {
    const { scroller } = this.#view
    return scroller ? rowIn(scroller, key) : null
  }
}

/** The key of the row that an element is part of. */
export function keyAt(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined
}
