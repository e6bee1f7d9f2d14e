import { randomUUID } from 'node:crypto'
import { wrongField } from './refusal.ts'

/** The twelve bits between the time and the random part, in hex. */
const COUNTS = Array.from({ length: 0x1000 }, (_, count) => count.toString(16).padStart(3, '0'))

let last = 0
let time = ''
let count = 0

/**
 * A UUID of version 7. Those of one process sort in the order of their creation, even within a millisecond. Those of
 * several nodes sort by their clocks: what needs an exact order, such as messages and audit entries, gets its id from the
 * database.
 */
export function newId(): string {
  const random = randomUUID()
  const now = Date.now()
  if (now > last) {
    time = timeOf((last = now))
    count = Number.parseInt(random.slice(0, 3), 16) & 0x7ff
  } else if (++count >= COUNTS.length) {
    time = timeOf((last += 1))
    count = 0
  }
  return `${time}-7${COUNTS[count]}-${random.slice(19)}`
}

function timeOf(milliseconds: number): string {
  const digits = milliseconds.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

/** Ids from a request, in the spelling that the database returns. Refuses duplicates. */
export function uniqueIds(field: string, given: readonly string[]): string[] {
  const ids = new Set(given.map((id) => id.toLowerCase()))
  if (ids.size < given.length) throw wrongField(field, 'must not contain duplicates')
  return [...ids]
}
