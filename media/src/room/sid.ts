import { randomInt } from 'node:crypto'

const LETTERS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const LENGTH = 12

/** An id in LiveKit's format: `RM_` for a room, `PA_` for a participant, `TR_` for a track. */
export function newSid(prefix: 'RM' | 'PA' | 'TR'): string {
  let sid = `${prefix}_`
  for (let at = 0; at < LENGTH; at += 1) sid += LETTERS[randomInt(LETTERS.length)]
  return sid
}
