import type { Attachment } from 'svelte/attachments'

const GAP = 8
const EDGE = 12

/**
 * Opens a popover beside an element, on the side with more room, or in the middle without one, and keeps it whole
 * within the window as it grows.
 */
export function beside(anchor: Element | undefined): Attachment<HTMLElement> {
  return (floating) => {
    function place(): void {
      const { offsetWidth: width, offsetHeight: height } = floating
      const { left, right, top } = anchor?.getBoundingClientRect() ?? {
        left: (innerWidth + width) / 2 + GAP,
        right: innerWidth,
        top: (innerHeight - height) / 2,
      }
      const x = left > innerWidth - right ? left - GAP - width : right + GAP
      floating.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - EDGE - width))}px`
      floating.style.top = `${Math.max(EDGE, Math.min(top, innerHeight - EDGE - height))}px`
    }

    floating.showPopover()
    place()
    const growing = new ResizeObserver(place)
    growing.observe(floating)
    addEventListener('resize', place)
    return () => {
      growing.disconnect()
      removeEventListener('resize', place)
    }
  }
}
