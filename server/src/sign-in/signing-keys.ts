/** How long a key signs before the next one takes over. */
const SIGNING_DAYS = 90
/** Websites cache the published keys, so each key is published this long before and after it signs. */
const MARGIN_DAYS = 1

/** The name of the first key; later ones are numbered, so that all processes agree. */
const FIRST = 'jwks'

export interface SigningKey {
  readonly purpose: string
  /** Its age. */
  readonly days: number
}

export interface Rotation {
  /** The keys to publish; the first one signs. A missing one must be created. */
  readonly published: readonly string[]
  /** Keys that signed nothing that is still valid. */
  readonly ended: readonly string[]
}

/** Decides about the existing signing keys, oldest first. */
export function rotate(keys: readonly SigningKey[]): Rotation {
  const newest = keys.at(-1)
  if (!newest) return { published: [FIRST], ended: [] }
  const signing = keys.findLast(({ days }) => days >= MARGIN_DAYS) ?? newest
  const former = keys.slice(0, keys.indexOf(signing))
  const coming = keys.slice(keys.indexOf(signing) + 1)
  const shown = [signing, ...coming, ...(signing.days < 2 * MARGIN_DAYS ? former : [])]
  return {
    published: [...shown.map(({ purpose }) => purpose), ...(newest.days >= SIGNING_DAYS ? [after(newest)] : [])],
    // One day more: a process that has just read the list must not find a key missing and create it again.
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
