import type { Zoom } from './zoom.svelte.ts'

interface Gestures {
  readonly zoom: Zoom
  /** A swipe to the side: 1 for the next picture, -1 for the previous one. */
  onstep: (way: 1 | -1) => void
  /** A swipe down. */
  onclose: () => void
}

/** How far a finger has to move to mean it. */
const SWIPE = 60

interface Point {
  readonly x: number
  readonly y: number
}

/** Swipes, pinches, drags, double clicks and the wheel on the stage of a picture. Returns a function that stops. */
export function listenForGestures(stage: HTMLElement, { zoom, onstep, onclose }: Gestures): () => void {
  const fingers = new Map<number, Point>()
  let begun: Point | undefined

  function down(event: PointerEvent): void {
    if (event.button !== 0) return
    stage.setPointerCapture(event.pointerId)
    fingers.set(event.pointerId, pointOf(event))
    begun = fingers.size === 1 && !zoom.enlarged ? pointOf(event) : undefined
  }

  function move(event: PointerEvent): void {
    const before = fingers.get(event.pointerId)
    if (!before) return
    const now = pointOf(event)
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
    if (other) zoom.by(distance(now, other) / Math.max(1, distance(before, other)), fromMiddle(middleOf(now, other)))
    else if (zoom.enlarged) zoom.moveBy(now.x - before.x, now.y - before.y)
    fingers.set(event.pointerId, now)
  }

  function up(event: PointerEvent): void {
    if (!fingers.delete(event.pointerId) || !begun || event.type === 'pointercancel') return
    const { x, y } = pointOf(event)
    const [across, along] = [x - begun.x, y - begun.y]
    begun = undefined
    if (Math.abs(across) > SWIPE && Math.abs(across) > Math.abs(along)) onstep(across < 0 ? 1 : -1)
    else if (event.pointerType === 'touch' && along > SWIPE) onclose()
  }

  function wheel(event: WheelEvent): void {
    event.preventDefault()
    zoom.by(Math.exp(-event.deltaY / 300), fromMiddle(pointOf(event)))
  }

  function toggle(event: MouseEvent): void {
    if (zoom.enlarged) zoom.reset()
    else zoom.by(2, fromMiddle(pointOf(event)))
  }

  function fromMiddle({ x, y }: Point): Point {
    const { left, top, width, height } = stage.getBoundingClientRect()
    return { x: x - left - width / 2, y: y - top - height / 2 }
  }

  const events = new AbortController()
  const { signal } = events
  stage.addEventListener('pointerdown', down, { signal })
  stage.addEventListener('pointermove', move, { signal })
  stage.addEventListener('pointerup', up, { signal })
  stage.addEventListener('pointercancel', up, { signal })
  stage.addEventListener('wheel', wheel, { signal, passive: false })
  stage.addEventListener('dblclick', toggle, { signal })
  return () => events.abort()
}

function pointOf({ clientX, clientY }: MouseEvent): Point {
  return { x: clientX, y: clientY }
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function middleOf(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}
