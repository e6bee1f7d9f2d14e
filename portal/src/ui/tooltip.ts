import type { Attachment } from 'svelte/attachments'

const GAP = 12
const EDGE = 8

/** Words beside a control that shows only a sign, for eyes; the control's own name is for everyone else. */
export function tooltip(words: string, side: 'beside' | 'below' = 'beside'): Attachment<HTMLElement> {
  return (control) => {
    let bubble: HTMLElement | undefined

    function show(): void {
      if (bubble) return
      bubble = document.createElement('div')
      bubble.className = 'tooltip'
      bubble.popover = 'manual'
      bubble.ariaHidden = 'true'
      bubble.textContent = words
      document.body.append(bubble)
      bubble.showPopover()
      const { left, right, top, bottom, width, height } = control.getBoundingClientRect()
      const { offsetWidth, offsetHeight } = bubble
      const [x, y] =
        side === 'beside'
          ? [right + GAP, top + (height - offsetHeight) / 2]
          : [left + (width - offsetWidth) / 2, bottom + GAP / 2]
      bubble.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - EDGE - offsetWidth))}px`
      bubble.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - EDGE - offsetHeight))}px`
    }

    function hide(): void {
      bubble?.remove()
      bubble = undefined
    }

    function onPointerEnter(event: PointerEvent): void {
      if (event.pointerType === 'mouse') show()
    }

    function onKeyDown(event: KeyboardEvent): void {
      if (event.key === 'Escape') hide()
    }

    function onFocus(): void {
      if (control.matches(':focus-visible')) show()
    }

    control.addEventListener('pointerenter', onPointerEnter)
    control.addEventListener('pointerleave', hide)
    control.addEventListener('pointerdown', hide)
    control.addEventListener('focus', onFocus)
    control.addEventListener('blur', hide)
    control.addEventListener('keydown', onKeyDown)
    return () => {
      hide()
      control.removeEventListener('pointerenter', onPointerEnter)
      control.removeEventListener('pointerleave', hide)
      control.removeEventListener('pointerdown', hide)
      control.removeEventListener('focus', onFocus)
      control.removeEventListener('blur', hide)
      control.removeEventListener('keydown', onKeyDown)
    }
  }
}
