import { keyAt } from './row-focus.svelte.ts'

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/** Which row the pointer is on, and whether the pointer or the keyboard was used last. */
export class RowPointer {
  #hoveredKey = $state<string>()
  #usedLast = $state(false)
  #at = { x: -1, y: -1 }

  /** The row that shows its actions, one at a time. */
  activeKey(focusedKey: string | undefined): string | undefined {
    return this.#usedLast ? (this.#hoveredKey ?? focusedKey) : (focusedKey ?? this.#hoveredKey)
  }

  over({ pointerType, target }: PointerEvent): void {
    this.#hoveredKey = pointerType === 'mouse' ? keyAt(target) : undefined
  }

  leave(): void {
    this.#hoveredKey = undefined
  }

  /** Rows that scroll below a resting pointer report moves too. */
  move({ clientX: x, clientY: y }: PointerEvent): void {
    if (x === this.#at.x && y === this.#at.y) return
    this.#at = { x, y }
    this.#usedLast = true
  }

  /** Shift belongs to the pointer: it deletes without confirmation. */
  pressed({ key }: KeyboardEvent): void {
    if (!MODIFIERS.has(key)) this.#usedLast = false
  }
}
