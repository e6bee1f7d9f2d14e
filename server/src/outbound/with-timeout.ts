/** Waits for a promise until the signal aborts. The work itself may continue; its result is ignored. */
export async function withTimeout<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const tooLate = (): void => reject(new Error('too late'))
  signal.addEventListener('abort', tooLate, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', tooLate)
  }
}
