/** Of all keys. */
export const PREFIX = 'portico.'

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

export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isStrings(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((inner) => typeof inner === 'string')
}
