let here = $state(document.hasFocus() && !document.hidden)

function look(): void {
  here = document.hasFocus() && !document.hidden
}

addEventListener('focus', look)
addEventListener('blur', look)
document.addEventListener('visibilitychange', look)

/** Whether the window has the focus: what is shown then is seen. */
export const windowFocus = {
  get here(): boolean {
    return here
  },
}
