/** What stays in this browser when someone signs out: settings of the device. Everything else belongs to the account. */
const DEVICE_KEYS = new Set(['theme', 'locale', 'members', 'notifications', 'voice', 'voice-chat'])
const PREFIX = 'portico.'

/** Settings stored in this browser. Without storage the portal still works. */
export function readStored<Value>(key: string, isValid: (value: unknown) => value is Value): Value | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(PREFIX + key) ?? 'null')
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** False if storage is full or blocked: the value then lasts until the page is closed. */
export function writeStored(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Removes what belongs to the account, such as drafts: the next person at this computer must not find it. */
export function forgetAccount(): void {
  const isOfDevice = (key: string): boolean => !key.startsWith(PREFIX) || DEVICE_KEYS.has(key.slice(PREFIX.length))
  try {
    for (const key of Object.keys(localStorage)) if (!isOfDevice(key)) localStorage.removeItem(key)
  } catch {
    // Storage is blocked, so nothing is stored.
  }
}

export function isStrings(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((inner) => typeof inner === 'string')
}
