const look = Promise.withResolvers<void>()
/** A page that can't show what it was opened for must not wait forever. */
const LONGEST_MS = 3000

/** Resolves when the page shows what it was opened for. Whatever can wait is loaded after that. */
export const firstRender: Promise<void> = look.promise

export function markRendered(): void {
  look.resolve()
}

export function startRenderTimeout(): void {
  setTimeout(markRendered, LONGEST_MS)
}
