import { failure, ok, type Finding } from './finding.ts'

const TOLERATED = 2000

/** When a request was sent and answered, and the resolution of the time in the answer, in milliseconds. */
export interface ClockReading {
  readonly sentAt: number
  readonly answeredAt: number
  readonly precision: number
}

/** Compares this machine's clock with another one, within the uncertainty of the round trip. */
export function driftOf(whose: string, theirs: number, { sentAt, answeredAt, precision }: ClockReading): Finding {
  // Their clock was read between request and response: only a difference outside of that is drift.
  const ahead = theirs - answeredAt
  const behind = sentAt - (theirs + precision)
  const drift = Math.max(ahead, behind)
  if (drift <= TOLERATED) return ok('Clock', `agrees with ${whose}`)
  return failure(
    'Clock',
    `${(drift / 1000).toFixed(1)} s ${ahead > behind ? 'behind' : 'ahead of'} ${whose}`,
    'Synchronize both clocks with NTP (on most systems: timedatectl set-ntp true).',
  )
}
