/** Rejects if the work takes longer than this many milliseconds. It goes on, and nobody waits for it anymore. */
export async function withTimeout<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const giveUp = (): void => late.reject(new Error(`no answer within ${milliseconds} ms`))
  // An answer that arrived while this process did nothing is read before the timer counts.
  const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
    // It may still fail later.
    work.catch(() => undefined)
  }
}
