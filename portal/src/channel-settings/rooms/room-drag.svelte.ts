import { isSameOrder, placeCategory, placeRoom, type CategoryRooms } from './room-order.ts'

export interface Dragged {
  readonly kind: 'room' | 'category'
  readonly id: string
}

/** Where the dragged item would land: before another one, or at the end. */
interface DropTarget {
  readonly categoryId: string | null
  readonly beforeId: string | undefined
}

/** Drag and drop of rooms and categories. */
export class RoomDrag {
  readonly #groups: () => readonly CategoryRooms[]
  readonly #dropped: (what: Dragged, next: readonly CategoryRooms[]) => void
  #dragged = $state.raw<Dragged>()
  #target = $state.raw<DropTarget>()

  constructor(
    groups: () => readonly CategoryRooms[],
    dropped: (what: Dragged, next: readonly CategoryRooms[]) => void,
  ) {
    this.#groups = groups
    this.#dropped = dropped
  }

  /** A room would land at the end of this group. */
  isOver(categoryId: string | null): boolean {
    return (
      this.#dragged?.kind === 'room' && this.#target?.categoryId === categoryId && this.#target.beforeId === undefined
    )
  }

  /** A category would land before this one, or at the end. */
  isBefore(categoryId: string | undefined): boolean {
    return this.#dragged?.kind === 'category' && this.#target !== undefined && this.#target.beforeId === categoryId
  }

  /** Another room would land before this one. */
  isBeforeRoom(roomId: string): boolean {
    return this.#dragged?.kind === 'room' && this.#dragged.id !== roomId && this.#target?.beforeId === roomId
  }

  grab({ dataTransfer }: DragEvent, what: Dragged, name: string): void {
    dataTransfer?.setData('text/plain', name)
    if (dataTransfer) dataTransfer.effectAllowed = 'move'
    this.#dragged = what
  }

  hover(
    event: DragEvent & { currentTarget: HTMLElement },
    { categoryId, roomIds }: CategoryRooms,
    roomId?: string,
  ): void {
    if (!this.#dragged) return
    event.preventDefault()
    event.stopPropagation()
    if (this.#dragged.kind === 'room') {
      const next = roomId === undefined ? undefined : roomIds[roomIds.indexOf(roomId) + 1]
      this.#target = { categoryId, beforeId: isLower(event, event.currentTarget) ? next : roomId }
    } else {
      const groups = this.#groups()
      const at = groups.findIndex((group) => group.categoryId === categoryId)
      const after = categoryId === null || isLower(event, event.currentTarget.closest('section'))
      this.#target = { categoryId, beforeId: groups[after ? at + 1 : at]?.categoryId ?? undefined }
    }
  }

  drop(event: DragEvent): void {
    event.preventDefault()
    event.stopPropagation()
    const [what, to, groups] = [this.#dragged, this.#target, this.#groups()]
    this.letGo()
    if (!what || !to || to.beforeId === what.id) return
    const next = what.kind === 'room' ? placeRoom(groups, what.id, to) : placeCategory(groups, what.id, to.beforeId)
    if (!isSameOrder(next, groups)) this.#dropped(what, next)
  }

  letGo(): void {
    this.#dragged = undefined
    this.#target = undefined
  }
}

function isLower({ clientY }: DragEvent, element: HTMLElement | null): boolean {
  const { top = 0, height = 0 } = element?.getBoundingClientRect() ?? {}
  return clientY > top + height / 2
}
