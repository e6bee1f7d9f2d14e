/** More than browsers go back: fifty entries, or a hundred. */
const MOST = 256

/** What SvelteKit kept for this tab, by entry of the browser's history. Whoever adds to it forgets the oldest. */
export function get(key: string): Record<string, unknown> {
  return new Proxy(read(key), {
    set(entries, index, value) {
      if (typeof index === 'string') delete entries[Number(index) - MOST]
      return Reflect.set(entries, index, value)
    },
  })
}

export function set(key: string, entries: Record<string, unknown>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(entries))
  } catch {
    // Full, or forbidden: a page that is loaded again begins at its top.
  }
}

function read(key: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(sessionStorage.getItem(key) ?? '{}'))
  } catch {
    return {}
  }
}
