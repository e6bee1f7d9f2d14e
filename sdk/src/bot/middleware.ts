import type { Context } from './context.ts'

/** Runs around every handler. It gets the context of the handler, and calls `next` to run what comes after it. */
export type Middleware<Each extends Context = Context> = (context: Each, next: () => Promise<void>) => unknown

/** Runs the handler inside of the middleware, the first one outermost. */
export async function runThrough<Each extends Context>(
  middleware: readonly Middleware<Each>[],
  context: Each,
  handle: (context: Each) => unknown,
): Promise<void> {
  const [first, ...others] = middleware
  if (!first) {
    await handle(context)
    return
  }
  let isCalled = false
  await first(context, async () => {
    if (isCalled) throw new Error('next() was called twice in the same middleware')
    isCalled = true
    await runThrough(others, context, handle)
  })
}
