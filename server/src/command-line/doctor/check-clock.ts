import { failure, ok, type Finding } from './finding.ts'

const TOLERATED = 2000

/** When a question was sent and answered, and how exactly the answer tells the time, in milliseconds. */
export interface Asked {
  readonly asked: number
  readonly answered: number
  readonly precision: number
}

/** Compares this machine's clock with another one, as far as the way there and back lets it be known. */
export function driftOf(whose: string, theirs: number, { asked, answered, precision }: Asked): Finding {
  // Their clock was read at some moment between asking and answering: only what lies outside of it is certainly drift.
  const ahead = theirs - answered
  const behind = asked - (theirs + precision)
  const drift = Math.max(ahead, behind)
  if (drift <= TOLERATED) return ok('Clock', `agrees with ${whose}`)
  return failure(
    'Clock',
    `${(drift / 1000).toFixed(1)} s ${ahead > behind ? 'behind' : 'ahead of'} ${whose}`,
    'Let both machines set their clocks by NTP (on most systems: timedatectl set-ntp true).',
  )
}
