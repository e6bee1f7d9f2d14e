/** For how long a key signs before the next one takes over. */
const SIGNING_DAYS = 90
/** Websites keep the published keys for a while: each is there this long before it signs, and after. */
const MARGIN_DAYS = 1

/** The first is called so; those after it have a number: that way all processes mean the same one. */
const FIRST = 'jwks'

export interface SigningKey {
  readonly purpose: string
  /** How old it is. */
  readonly days: number
}

export interface Rotation {
  /** What to publish; the first one signs. One that does not exist yet is to be made. */
  readonly published: readonly string[]
  /** What nothing that is still valid was signed with. */
  readonly ended: readonly string[]
}

/** What becomes of the signing keys there are, given from the oldest to the newest. */
export function rotate(keys: readonly SigningKey[]): Rotation {
  const newest = keys.at(-1)
  if (!newest) return { published: [FIRST], ended: [] }
  const signing = keys.findLast(({ days }) => days >= MARGIN_DAYS) ?? newest
  const former = keys.slice(0, keys.indexOf(signing))
  const coming = keys.slice(keys.indexOf(signing) + 1)
  const shown = [signing, ...coming, ...(signing.days < 2 * MARGIN_DAYS ? former : [])]
  return {
    published: [...shown.map(({ purpose }) => purpose), ...(newest.days >= SIGNING_DAYS ? [after(newest)] : [])],
    // A day later still: a process that has just read the list must not miss one of it, and make it anew.
    ended: signing.days < 3 * MARGIN_DAYS ? [] : former.map(({ purpose }) => purpose),
  }
}

export function isSigningKey(purpose: string): boolean {
  return purpose === FIRST || purpose.startsWith(`${FIRST} `)
}

function after({ purpose }: SigningKey): string {
  const number = purpose === FIRST ? 1 : Number(purpose.slice(FIRST.length + 1))
  return `${FIRST} ${number + 1}`
}
