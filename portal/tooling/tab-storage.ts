/** More than the fifty or hundred entries that browsers keep. */
const MAX_ENTRIES = 256

/** What SvelteKit stored for this tab, by history entry. Adding an entry drops the oldest. */
export function get(key: string): Record<string, unknown> {
  return new Proxy(read(key), {
    set(entries, index, value) {
      if (typeof index === 'string') delete entries[Number(index) - MAX_ENTRIES]
      return Reflect.set(entries, index, value)
    },
  })
}

export function set(key: string, entries: Record<string, unknown>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(entries))
  } catch {
    // Full or forbidden: after a reload the page starts at its top.
  }
}

function read(key: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(sessionStorage.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}
