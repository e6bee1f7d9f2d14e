let here = $state(document.hasFocus() && !document.hidden)

function look(): void {
  here = document.hasFocus() && !document.hidden
}

addEventListener('focus', look)
addEventListener('blur', look)
document.addEventListener('visibilitychange', look)

/** Whether the person looks at this window: what is shown meanwhile counts as seen. */
export const windowFocus = {
  get here(): boolean {
    return here
  },
}
