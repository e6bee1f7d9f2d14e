/** Fails with what was expected, and what the server has printed, if it takes longer than this many seconds. */
export async function withTimeLimit<Result>(
  expected: { readonly what: string; readonly seconds: number; readonly output: () => string },
  work: Promise<Result>,
): Promise<Result> {
  const { what, seconds, output } = expected
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new Error(`${what} took more than ${seconds} s\n${output()}`)),
    seconds * 1000,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
