import type { Attachment } from 'svelte/attachments'

const GAP = 12
const EDGE = 8

/** Focus that follows a tap, such as that of an opened drawer, asks for no explanation, whatever the browser makes of it. */
let byKeyboard = false
addEventListener('keydown', () => (byKeyboard = true), { capture: true })
addEventListener('pointerdown', () => (byKeyboard = false), { capture: true })

/** One at a time: the pointer may rest on one control while another gets the focus. */
let hideLast: (() => void) | undefined

/** A visual label for a control that shows only an icon. Screen readers use the control's own name. */
export function tooltip(
  label: string | (() => Promise<string>),
  side: 'above' | 'right' | 'below' = 'right',
): Attachment<HTMLElement> {
  return (control) => {
    let bubble: HTMLElement | undefined

    let wanted = false

    async function show(): Promise<void> {
      wanted = true
      const text = await (typeof label === 'string' ? label : label())
      // Not during the event: a popover that is closing restores the focus, and no other may open meanwhile.
      await new Promise((later) => setTimeout(later))
      if (bubble || !wanted) return
      hideLast?.()
      hideLast = hide
      bubble = document.createElement('div')
      bubble.className = 'tooltip'
      bubble.popover = 'manual'
      bubble.ariaHidden = 'true'
      bubble.textContent = text
      document.body.append(bubble)
      bubble.showPopover()
      const { left, right, top, bottom, width, height } = control.getBoundingClientRect()
      const { offsetWidth, offsetHeight } = bubble
      const middle = left + (width - offsetWidth) / 2
      const [x, y] = {
        above: [middle, top - offsetHeight - GAP / 2] as const,
        right: [right + GAP, top + (height - offsetHeight) / 2] as const,
        below: [middle, bottom + GAP / 2] as const,
      }[side]
      bubble.style.left = `${Math.max(EDGE, Math.min(x, innerWidth - EDGE - offsetWidth))}px`
      bubble.style.top = `${Math.max(EDGE, Math.min(y, innerHeight - EDGE - offsetHeight))}px`
    }

    function hide(): void {
      wanted = false
      bubble?.remove()
      bubble = undefined
    }

    function onPointerEnter(event: PointerEvent): void {
      if (event.pointerType === 'mouse') void show()
    }

    function onKeyDown(event: KeyboardEvent): void {
      if (event.key === 'Escape') hide()
    }

    function onFocus(): void {
      if (byKeyboard && control.matches(':focus-visible')) void show()
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
