import { firstRender } from '#ui/first-render.ts'
import type { MenuPlace } from './menu-at.ts'

/** Calls back on a right click or the menu key, with what was clicked. The listener is loaded after the list is shown. */
export function rightClick(
  clicked: (target: EventTarget | null, place: MenuPlace) => boolean,
): (element: HTMLElement) => () => void {
  return (element) => {
    const events = new AbortController()
    const listen = ({ menuAt }: typeof import('./menu-at.ts')): void => {
      element.addEventListener(
        'contextmenu',
        (event) => {
          const place = menuAt(event)
          if (place && clicked(event.target, place)) event.preventDefault()
        },
        { signal: events.signal },
      )
    }
    // Without the listener the browser's own menu opens.
    firstRender
      .then(() => import('./menu-at.ts'))
      .then(listen)
      .catch(() => undefined)
    return () => events.abort()
  }
}
