import type { Attachment } from 'svelte/attachments'

const GAP = 8
const EDGE = 12
const PHONE = '(max-width: 720px)'

/** Opens a popover above an element, or below it where there is no room; on a phone at the lower edge. */
export function above(anchor: Element): Attachment<HTMLElement> {
  return (floating) => {
    const phone = matchMedia(PHONE)

    function place(): void {
      const { right, top, bottom } = anchor.getBoundingClientRect()
      const { offsetWidth: width, offsetHeight: height } = floating
      const x = phone.matches ? 0 : Math.max(EDGE, Math.min(right - width, innerWidth - EDGE - width))
      const y = top - GAP - height >= EDGE ? top - GAP - height : Math.min(bottom + GAP, innerHeight - EDGE - height)
      floating.style.left = `${x}px`
      floating.style.top = `${phone.matches ? innerHeight - height : Math.max(EDGE, y)}px`
    }

    floating.showPopover()
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }
}
