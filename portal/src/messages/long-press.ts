/** Fingers have no pointer that hovers: what can be done with a thing comes when one stays on it. */
export function held(
  pressed: (target: EventTarget | null) => void,
): (element: HTMLElement) => (() => void) | undefined {
  return (element) => {
    if (!matchMedia('(any-pointer: coarse)').matches) return undefined
    let end: (() => void) | undefined
    let left = false
    const begin = ({ longPress }: typeof import('./listen-for-long-press.ts')): void => {
      if (!left) end = longPress(element, pressed)
    }
    // Where it cannot be had, reading and writing work all the same.
    import('./listen-for-long-press.ts').then(begin).catch(() => undefined)
    return () => {
      left = true
      end?.()
    }
  }
}
