/**
 * Keeps the keyboard focus on the buttons that move an item (`data-step="<id> <-1 or 1>"`) whenever the order changes, by
 * oneself or by others: a browser drops the focus from an element that is moved, re-created or disabled.
 */
export function keepStepFocus(order: () => unknown): void {
  let focused: string | undefined
  $effect.pre(() => {
    order()
    const { activeElement } = document
    focused = activeElement instanceof HTMLElement ? activeElement.dataset['step'] : undefined
  })
  $effect(() => {
    order()
    const [id, step] = focused?.split(' ') ?? []
    if (id === undefined) return
    const same = stepButton(id, Number(step))
    // At the end of the list, only the opposite direction is left.
    const button = same?.disabled ? stepButton(id, -Number(step)) : same
    if (button !== document.activeElement) button?.focus()
  })
}

function stepButton(id: string, step: number): HTMLButtonElement | null {
  return document.querySelector(`[data-step="${id} ${step}"]`)
}
