import { afterAll } from 'vitest'

/** Clean-up functions of the current test file, run in reverse order. A worker's files run one after another and share this module. */
let ending = new AsyncDisposableStack()
let ended = 0

/** Runs a clean-up at the end of the calling test file. */
export function atFileEnd(end: () => Promise<unknown>): void {
  ending.defer(async () => void (await end()))
}

/** Creates something on first use in a test file, and again in the next file. */
export function oncePerFile<Args extends unknown[], Made>(make: (...args: Args) => Made): (...args: Args) => Made {
  let made: { in: number; what: Made } | undefined
  return (...args) => {
    if (made?.in !== ended) made = { in: ended, what: make(...args) }
    return made.what
  }
}

/** For the setup file, which runs once per test file. */
export function endWithFile(): void {
  afterAll(async () => {
    const these = ending
    ending = new AsyncDisposableStack()
    ended += 1
    await these.disposeAsync()
  })
}
