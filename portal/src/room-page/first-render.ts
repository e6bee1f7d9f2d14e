const look = Promise.withResolvers<void>()
/** A page that cannot show what it was opened for works all the same. */
const LONGEST_MS = 3000

/** Resolves when the page shows what it was opened for. What nobody waits for is loaded and done behind that. */
export const firstRender: Promise<void> = look.promise

export function markRendered(): void {
  look.resolve()
}

export function startRenderTimeout(): void {
  setTimeout(markRendered, LONGEST_MS)
}
