import { navigating, updated } from '$app/state'

const STORED = 'portico.reloaded'
const PAUSE_MS = 60_000

/**
 * After an upgrade of the portal, no server may have the files of this page's version anymore. Loads the page again when one
 * of them is missing; what is being written in a room is kept as a draft. SvelteKit does the same for navigations.
 */
export function reloadWhenOutdated(): () => void {
  const reload = async (): Promise<void> => {
    if (navigating.to === null && (await updated.check()) && mayReload()) location.reload()
  }
  const listener = (): void => void reload()
  addEventListener('vite:preloadError', listener)
  return () => removeEventListener('vite:preloadError', listener)
}

/** Not again and again, if the file is missing in the new version too. */
function mayReload(): boolean {
  try {
    if (Date.now() - Number(sessionStorage.getItem(STORED)) < PAUSE_MS) return false
    sessionStorage.setItem(STORED, String(Date.now()))
    return true
  } catch {
    return false
  }
}
