import { afterAll } from 'vitest'

/** What a test file has started, to be ended in reverse. The files of a worker follow each other, and share this module. */
let ending = new AsyncDisposableStack()
let ended = 0

/** Ends something when the tests of the calling file have ended. */
export function atFileEnd(end: () => Promise<unknown>): void {
  ending.defer(async () => void (await end()))
}

/** Creates something on first use in a test file, and again in the next file. */
export function oncePerFile<Asked extends unknown[], Made>(make: (...asked: Asked) => Made): (...asked: Asked) => Made {
  let made: { in: number; what: Made } | undefined
  return (...asked) => {
    if (made?.in !== ended) made = { in: ended, what: make(...asked) }
    return made.what
  }
}

/** For the setup file of the tests, which is read again for each test file. */
export function endWithFile(): void {
  afterAll(async () => {
    const these = ending
    ending = new AsyncDisposableStack()
    ended += 1
    await these.disposeAsync()
  })
}
