/** Where the menu of a message opens, and its row. */
export interface MenuPlace {
  readonly at: { readonly x: number; readonly y: number }
  readonly from: HTMLElement
}

/** What has a useful menu of the browser's own. */
const NATIVE = 'a, img, video, audio, input, textarea'

/**
 * Where the menu opens for a right click or the menu key on a message. Undefined where the browser's own menu is wanted: on
 * links and selected text, with Shift, and under a finger.
 */
export function menuAt(event: MouseEvent): MenuPlace | undefined {
  const { target } = event
  if (event.defaultPrevented || event.shiftKey || !(target instanceof Element)) return undefined
  const isTouch = event instanceof PointerEvent && event.pointerType === 'touch'
  if (isTouch || target.closest(NATIVE) || getSelection()?.isCollapsed === false) return undefined
  const from = target.closest<HTMLElement>('article')
  if (!from) return undefined
  const { left, top } = from.getBoundingClientRect()
  const byKey = event.clientX === 0 && event.clientY === 0
  return { from, at: byKey ? { x: left + 24, y: top + 24 } : { x: event.clientX, y: event.clientY } }
}
