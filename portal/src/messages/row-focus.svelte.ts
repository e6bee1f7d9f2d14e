import { tick } from 'svelte'
import type { VirtualizerHandle } from 'virtua/svelte'
import { rowIn } from './keep-scroll-position.ts'
import type { Row } from './lay-out.ts'

interface View {
  readonly rows: readonly Row[]
  readonly scroller: HTMLElement | undefined
  readonly list: Pick<VirtualizerHandle, 'scrollToIndex'> | undefined
}

/** The rows in view, by their places among all. */
interface InView {
  readonly first: number
  readonly last: number
  /** The lowest that is seen well. Absent: the reader is at the end. */
  readonly lowest: number | undefined
}

/** Which row of the list Tab reaches and which has the focus, as rows come and go. */
export class RowFocus {
  readonly #view: View
  #currentKey = $state<string>()
  #focusedKey = $state<string>()
  /** The focus is on its way to the current row. */
  #moving = $state(false)
  /** The row that somebody was sent to: Tab leads there for as long as it is in view. */
  #askedKey: string | undefined
  #focusedAt = 0
  readonly #index = $derived.by(() => {
    const index = this.#view.rows.findIndex(({ key }) => key === this.#currentKey)
    return index < 0 ? this.#view.rows.length - 1 : index
  })

  constructor(view: View) {
    this.#view = view
  }

  /** The place of the one row that Tab reaches: the last, unless it is another. */
  get index(): number {
    return this.#index
  }

  get row(): Row | undefined {
    return this.#view.rows[this.#index]
  }

  /** Of the row that has the focus, itself or on something inside. */
  get key(): string | undefined {
    return this.#focusedKey
  }

  /** The focus is in the list or comes to it: its row must not be taken out of the page. */
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

  /** Somebody was sent to a row. */
  ask(key: string | undefined): void {
    this.#askedKey = key
    this.#currentKey = key
  }

  /** The reader moved on: Tab leads to what is in view. */
  follow({ first, last, lowest }: InView): void {
    if (this.#focusedKey !== undefined) return
    const { rows } = this.#view
    const asked = rows.findIndex(({ key }) => key === this.#askedKey)
    if (asked < first || asked > last) this.#askedKey = undefined
    this.#currentKey = this.#askedKey ?? (lowest === undefined ? undefined : rows[lowest]?.key)
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

  /** From something inside a row to the row itself. */
  backToRow(): void {
    if (this.#focusedKey !== undefined) this.#element(this.#focusedKey)?.focus()
  }

  /** When the row that had the focus went, the focus goes to the one in its place. */
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

/** Of the row that something is part of. */
export function keyAt(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('[data-key]')?.dataset['key'] : undefined
}
