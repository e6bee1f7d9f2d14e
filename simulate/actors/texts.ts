import type { Random } from '../random.ts'

const WORDS = ['harbor', 'crate', 'tide', 'lamp', 'rope', 'паром', 'причал', 'north', 'quay', 'engine']

let texts = 0

/** A text that no other message has: its mark finds it again wherever it must not be. */
export function nextText(random: Random): string {
  const words = Array.from({ length: 2 + random.integer(6) }, () => random.pick(WORDS) ?? '')
  return `${words.join(' ')} ${markOf((texts += 1))}`
}

function markOf(position: number): string {
  return `zq${position.toString(36).padStart(6, '0')}`
}

export const MARK = /zq[0-9a-z]{6}/
