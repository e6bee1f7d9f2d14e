const HOLD_MS = 450
const SLACK = 10

/** Calls back when a finger rests on the element, and suppresses the context menu and text selection. */
export function listenForLongPress(element: HTMLElement, pressed: (target: EventTarget | null) => void): () => void {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let longPressed = false
  let from = { x: 0, y: 0 }

  function begin(event: PointerEvent): void {
    end()
    longPressed = false
    if (event.pointerType !== 'touch' || !event.isPrimary) return
    from = { x: event.clientX, y: event.clientY }
    const { target } = event
    waiting = setTimeout(() => {
      longPressed = true
      pressed(target)
    }, HOLD_MS)
  }

  function move({ clientX, clientY }: PointerEvent): void {
    if (Math.hypot(clientX - from.x, clientY - from.y) > SLACK) end()
  }

  function end(): void {
    clearTimeout(waiting)
  }

  function swallow(event: Event): void {
    if (!longPressed) return
    event.preventDefault()
    event.stopPropagation()
  }

  function forget(): void {
    longPressed = false
  }

  const events = new AbortController()
  const { signal } = events
  element.addEventListener('pointerdown', begin, { signal })
  element.addEventListener('pointermove', move, { signal, passive: true })
  element.addEventListener('pointerup', end, { signal })
  element.addEventListener('pointercancel', end, { signal })
  element.addEventListener('scroll', end, { signal, passive: true })
  element.addEventListener('contextmenu', swallow, { signal })
  // What the press opened is under the finger: releasing it must not click there. The next press counts again.
  addEventListener('click', swallow, { signal, capture: true })
  addEventListener('pointerdown', forget, { signal, capture: true })
  return () => {
    end()
    events.abort()
  }
}
