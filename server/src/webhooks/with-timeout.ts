/** Waits for work no longer than the signal allows. The work itself may go on; what becomes of it is not heeded. */
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
