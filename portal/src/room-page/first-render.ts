const look = Promise.withResolvers<void>()
/** A page that cannot show what it was opened for works all the same. */
const LONGEST_MS = 3000

/** Resolves when the page shows what it was opened for. What nobody waits for is loaded and done behind that. */
export const firstLook: Promise<void> = look.promise

export function looked(): void {
  look.resolve()
}

export function lookAtLast(): void {
  setTimeout(looked, LONGEST_MS)
}
