let here = $state(document.hasFocus() && !document.hidden)

function look(): void {
  here = document.hasFocus() && !document.hidden
}

addEventListener('focus', look)
addEventListener('blur', look)
document.addEventListener('visibilitychange', look)

/** Whether the window has the focus: messages that are shown then count as read. */
export const windowFocus = {
  get here(): boolean {
    return here
  },
}
