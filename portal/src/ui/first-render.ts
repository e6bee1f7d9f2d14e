const look = Promise.withResolvers<void>()
/** A page that can't show what it was opened for must not wait forever. */
const LONGEST_MS = 3000
/** On a busy computer there may be no idle moment. */
const LONGEST_TURN_MS = 100

/** Resolves when the page shows what it was opened for. Whatever can wait is loaded after that. */
export const firstRender: Promise<void> = look.promise

let turn = firstRender

export function markRendered(): void {
  look.resolve()
}

export function startRenderTimeout(): void {
  setTimeout(markRendered, LONGEST_MS)
}

/**
 * Loads what the first render can do without. Each caller gets an idle moment of its own: all of them at once would block a
 * slow phone for a second.
 */
export async function loadWhenIdle<Part>(load: () => Promise<Part>): Promise<Part> {
  turn = turn.then(idle)
  await turn
  return load()
}

async function idle(): Promise<void> {
  await new Promise<void>((resolve) => {
    // Safari has no idle callbacks.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: LONGEST_TURN_MS })
    else setTimeout(resolve)
  })
}
