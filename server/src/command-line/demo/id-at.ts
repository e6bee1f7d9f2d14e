import { newId } from '../../operations/ids.ts'

/** An id for a time in the past: ids sort by time, and the history is ordered by them. */
export function idAt(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`
}
