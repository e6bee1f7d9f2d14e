import type { Attachment } from 'svelte/attachments'

// CSS anchor positioning would replace this file, but Firefox supports it only since 147, and we support 120. Floating UI
// would add 7 kB for two placements.

const GAP = 8
const EDGE = 12
const PHONE = '(max-width: 720px)'

/** Opens a popover above an element, or below it if there is no room; on a phone at the bottom of the window. */
export function placeAbove(anchor: Element): Attachment<HTMLElement> {
  return (popover) => {
    const phone = matchMedia(PHONE)

    function place(): void {
      const { right, top, bottom } = anchor.getBoundingClientRect()
      const { offsetWidth: width, offsetHeight: height } = popover
      const x = phone.matches ? 0 : Math.max(EDGE, Math.min(right - width, innerWidth - EDGE - width))
      const y = top - GAP - height >= EDGE ? top - GAP - height : Math.min(bottom + GAP, innerHeight - EDGE - height)
      popover.style.left = `${x}px`
      popover.style.top = `${phone.matches ? innerHeight - height : Math.max(EDGE, y)}px`
    }

    popover.showPopover()
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }
}

/**
 * Opens a popover next to an element, on the side with more room, or in the middle of the window without one. It stays
 * inside the window as it grows.
 */
export function placeNextTo(anchor: Element | undefined): Attachment<HTMLElement> {
  return (popover) => {
    function place(): void {
      const { offsetWidth: width, offsetHeight: height } = popover
      const { left, right, top } = anchor?.getBoundingClientRect() ?? {
        left: (innerWidth + width) / 2 + GAP,
        right: innerWidth,
        top: (innerHeight - height) / 2,
      }
      const x = left > innerWidth - right ? left - GAP - width : right + GAP
      popover.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - EDGE - width))}px`
      popover.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - EDGE - height))}px`
    }

    popover.showPopover()
    place()
    const resizing = new ResizeObserver(place)
    resizing.observe(popover)
    addEventListener('resize', place)
    return () => {
      resizing.disconnect()
      removeEventListener('resize', place)
    }
  }
}
