/** The current time, updated at an interval while the calling component is mounted. */
export function currentTime(intervalMs: number): { readonly ms: number } {
  let now = $state(Date.now())

  $effect(() => {
    const timer = setInterval(() => (now = Date.now()), intervalMs)
    return () => clearInterval(timer)
  })

  return {
    get ms() {
      return now
    },
  }
}
