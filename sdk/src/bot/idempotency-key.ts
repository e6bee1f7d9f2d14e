/** The same key for the same values: 64 hexadecimal digits, as many characters as the portal accepts. */
export async function idempotencyKey(...values: readonly (string | number)[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(values))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key as a UUID of version 8, whose bits may have any meaning. */
export function uuidOf(key: string): string {
  return `${key.slice(0, 8)}-${key.slice(8, 12)}-8${key.slice(13, 16)}-8${key.slice(17, 20)}-${key.slice(20, 32)}`
}
