import { randomFillSync } from 'node:crypto'
import { wrongField } from './refusal.ts'

const random = Buffer.alloc(4096)
let used = random.length
let last = 0
let count = 0

/**
 * A UUID of version 7. Those made by one process sort in the order in which they were made, also within a millisecond:
 * history pages and audit pages go by it.
 */
export function newId(): string {
  if (used + 10 > random.length) {
    randomFillSync(random)
    used = 0
  }
  const bytes = Buffer.allocUnsafe(16)
  random.copy(bytes, 6, used, used + 10)
  used += 10

  const now = Date.now()
  if (now > last) {
    last = now
    count = bytes.readUInt16BE(6) & 0x7ff
  } else if (++count > 0xfff) {
    last += 1
    count = 0
  }
  bytes.writeUIntBE(last, 0, 6)
  bytes.writeUInt16BE(0x7000 | count, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)

  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Ids as a caller listed them, in the one spelling that the database answers with; naming one twice is a mistake. */
export function uniqueIds(field: string, given: readonly string[]): string[] {
  const ids = new Set(given.map((id) => id.toLowerCase()))
  if (ids.size < given.length) throw wrongField(field, 'must name each one once')
  return [...ids]
}
