const RETRY_MS = 3000

/**
 * Loads code and starts it, unless it was stopped meanwhile. If the server is down, the page works with what it has and the
 * load is retried. Returns a function that stops it.
 */
export function startWhenLoaded(load: () => Promise<() => () => void>): () => void {
  let stop = (): void => undefined
  let stopped = false

  async function begin(): Promise<void> {
    try {
      const start = await load()
      if (!stopped) stop = start()
    } catch {
      if (!stopped) setTimeout(() => void begin(), RETRY_MS)
    }
  }

  void begin()
  return () => {
    stopped = true
    stop()
  }
}
