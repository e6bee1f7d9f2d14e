import { firstRender } from '#ui/first-render.ts'

/** On touch screens, calls back when a finger rests on the element. The listener is loaded only where there is touch. */
export function longPress(
  pressed: (target: EventTarget | null) => void,
): (element: HTMLElement) => (() => void) | undefined {
  return (element) => {
    if (!matchMedia('(any-pointer: coarse)').matches) return undefined
    let stop: (() => void) | undefined
    let removed = false
    const begin = ({ listenForLongPress }: typeof import('./listen-for-long-press.ts')): void => {
      if (!removed) stop = listenForLongPress(element, pressed)
    }
    // Without the listener reading and writing still work.
    firstRender
      .then(() => import('./listen-for-long-press.ts'))
      .then(begin)
      .catch(() => undefined)
    return () => {
      removed = true
      stop?.()
    }
  }
}
