import { createHash } from 'node:crypto'
import type { Random } from '../random/random.ts'

const WORDS = ['harbor', 'crate', 'tide', 'lamp', 'rope', 'паром', 'причал', 'north', 'quay', 'engine']

export const MARK = /zq[0-9a-z]{6}/
const FILE = /\]\((\/files\/[^)\s]+)\)/
/** Of the marks, the greater half is derived, the other one counted. */
const HALF = 36 ** 6 / 2

let texts = 0

/** A text that no other message has: its mark finds it again wherever it must not be. */
export function nextText(random: Random): string {
  const words = Array.from({ length: 2 + random.integer(6) }, () => random.pick(WORDS) ?? '')
  return `${words.join(' ')} ${markOf((texts += 1))}`
}

/** A piece of a text that is written piece by piece, which tells its number. */
export function pieceOf(number: number, random: Random): string {
  return ` ${random.pick(WORDS) ?? ''} ⟨${number}⟩`
}

/** Where the file is that a message contains. */
export function fileIn(text: string): string | undefined {
  return FILE.exec(text)?.[1]
}

/** The same mark for the same values, in every process: a reply that is sent again is recognized as the same. */
export function derivedMark(...values: readonly string[]): string {
  const digest = createHash('sha256').update(values.join(' ')).digest()
  return markOf(HALF + (digest.readUIntBE(0, 6) % HALF))
}

function markOf(position: number): string {
  return `zq${position.toString(36).padStart(6, '0')}`
}
