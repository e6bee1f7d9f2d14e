/** For a search that the person waits for: fewer requests while typing. */
export const SEARCH_DELAY_MS = 250
/** For suggestions that follow the typing. */
export const SUGGESTION_DELAY_MS = 150

/** A value that follows another once that has not changed for a while. */
export function debounced<Value>(read: () => Value, ms: number): { readonly current: Value } {
  let settled = $state.raw(read())

  $effect(() => {
    const value = read()
    const timer = setTimeout(() => (settled = value), ms)
    return () => clearTimeout(timer)
  })

  return {
    get current() {
      return settled
    },
  }
}
