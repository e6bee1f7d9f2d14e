import type { Services } from './services.ts'

const MINUTE = 60_000

/**
 * Calls a function that removes a batch, now and every minute, until it returns that nothing is left. Each batch commits on its
 * own, so that a restart loses nothing and no one waits for it. Returns a function that stops it.
 */
export function removeInBackground(
  { log }: Pick<Services, 'log'>,
  what: string,
  removeBatch: () => Promise<{ more: boolean }>,
): () => Promise<void> {
  const stopping = new AbortController()
  let removing: Promise<void> | undefined
  const removeAll = async (): Promise<void> => {
    while ((await removeBatch()).more) if (stopping.signal.aborted) return
  }
  const remove = (): void => {
    removing ??= removeAll()
      .catch((error: unknown) => log.error({ err: error }, `removing ${what} failed`))
      .finally(() => (removing = undefined))
  }
  const timer = setInterval(remove, MINUTE)
  timer.unref()
  remove()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await removing
  }
}
