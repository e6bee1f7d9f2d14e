/** Toasts are shown above this element, which is at the bottom of the window: they must not cover what someone is typing. */
export function belowToasts(element: HTMLElement): () => void {
  const { documentElement } = document
  const place = (): void => {
    const height = documentElement.clientHeight - element.getBoundingClientRect().top
    documentElement.style.setProperty('--below-toasts', `${Math.max(0, Math.round(height))}px`)
  }
  const observer = new ResizeObserver(place)
  observer.observe(element)
  observer.observe(documentElement)
  return () => {
    observer.disconnect()
    documentElement.style.removeProperty('--below-toasts')
  }
}
