import { isSameOrder, placeCategory, placeRoom, type Shelf } from './room-order.ts'

export interface Held {
  readonly kind: 'room' | 'category'
  readonly id: string
}

/** Where what is held would land: before another of its kind, or at the end. */
interface Goal {
  readonly categoryId: string | null
  readonly beforeId: string | undefined
}

/** A room or a category on its way to another place, held by the pointer. */
export class ShelfDrag {
  readonly #shelves: () => readonly Shelf[]
  readonly #dropped: (what: Held, next: readonly Shelf[]) => void
  #held = $state.raw<Held>()
  #goal = $state.raw<Goal>()

  constructor(shelves: () => readonly Shelf[], dropped: (what: Held, next: readonly Shelf[]) => void) {
    this.#shelves = shelves
    this.#dropped = dropped
  }

  /** A room would land at the end of this shelf. */
  isOver(categoryId: string | null): boolean {
    return this.#held?.kind === 'room' && this.#goal?.categoryId === categoryId && this.#goal.beforeId === undefined
  }

  /** A category would land before this one, or behind all of them. */
  isBefore(categoryId: string | undefined): boolean {
    return this.#held?.kind === 'category' && this.#goal !== undefined && this.#goal.beforeId === categoryId
  }

  /** Another room would land before this one. */
  isBeforeRoom(roomId: string): boolean {
    return this.#held?.kind === 'room' && this.#held.id !== roomId && this.#goal?.beforeId === roomId
  }

  grab({ dataTransfer }: DragEvent, what: Held, name: string): void {
    dataTransfer?.setData('text/plain', name)
    if (dataTransfer) dataTransfer.effectAllowed = 'move'
    this.#held = what
  }

  hover(event: DragEvent & { currentTarget: HTMLElement }, { categoryId, roomIds }: Shelf, roomId?: string): void {
    if (!this.#held) return
    event.preventDefault()
    event.stopPropagation()
    if (this.#held.kind === 'room') {
      const next = roomId === undefined ? undefined : roomIds[roomIds.indexOf(roomId) + 1]
      this.#goal = { categoryId, beforeId: isLower(event, event.currentTarget) ? next : roomId }
    } else {
      const shelves = this.#shelves()
      const at = shelves.findIndex((shelf) => shelf.categoryId === categoryId)
      const after = categoryId === null || isLower(event, event.currentTarget.closest('section'))
      this.#goal = { categoryId, beforeId: shelves[after ? at + 1 : at]?.categoryId ?? undefined }
    }
  }

  drop(event: DragEvent): void {
    event.preventDefault()
    event.stopPropagation()
    const [what, to, shelves] = [this.#held, this.#goal, this.#shelves()]
    this.letGo()
    if (!what || !to || to.beforeId === what.id) return
    const next = what.kind === 'room' ? placeRoom(shelves, what.id, to) : placeCategory(shelves, what.id, to.beforeId)
    if (!isSameOrder(next, shelves)) this.#dropped(what, next)
  }

  letGo(): void {
    this.#held = undefined
    this.#goal = undefined
  }
}

function isLower({ clientY }: DragEvent, element: HTMLElement | null): boolean {
  const { top = 0, height = 0 } = element?.getBoundingClientRect() ?? {}
  return clientY > top + height / 2
}
