import { randomInt } from 'node:crypto'

/** No letters that look alike on a screen. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Three groups of four: easy to type, and 59 bits. */
export function newPassword(): string {
  const group = (): string => Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return [group(), group(), group()].join('-')
}
