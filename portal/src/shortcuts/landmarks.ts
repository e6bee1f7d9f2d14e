/** Moves through the sections of the page with F6, in document order. They are marked with `data-landmark`. */
export function goToLandmark(step: 1 | -1): void {
  const landmarks = [...document.querySelectorAll<HTMLElement>('[data-landmark]')].filter(isWithinReach)
  if (landmarks.length === 0) return
  const at = landmarks.findLastIndex((landmark) => landmark.contains(document.activeElement))
  const next = at < 0 ? (step > 0 ? 0 : landmarks.length - 1) : (at + step + landmarks.length) % landmarks.length
  const landmark = landmarks[next]
  if (landmark) entryOf(landmark).focus()
}

function isWithinReach(element: HTMLElement): boolean {
  return element.closest('[inert]') === null && element.checkVisibility()
}

/**
 * The element that gets the focus: the current item, the Tab stop of a list, a field, or the first focusable element.
 */
function entryOf(landmark: HTMLElement): HTMLElement {
  for (const selector of ['[aria-current]', '[tabindex="0"]', 'textarea', 'input', 'a[href], button']) {
    const found = [...landmark.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility())
    if (found) return found
  }
  return landmark
}
