import { randomBytes } from 'node:crypto'

/** A seed that nobody chose. */
export function randomSeed(): string {
  return randomBytes(4).toString('hex')
}
