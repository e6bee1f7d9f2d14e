import type { QuietHours } from './notifications.ts'

/** Whether a moment lies within these hours, by the clock of their time zone. Never, if this machine doesn't know the zone. */
export function isQuiet({ from, until, timeZone }: QuietHours, moment: Date): boolean {
  if (!isTimeZone(timeZone)) return false
  const time = timeOfDay(timeZone, moment)
  return from < until ? from <= time && time < until : time >= from || time < until
}

/** Whether this machine knows the clock of a time zone. */
export function isTimeZone(timeZone: string): boolean {
  try {
    clockOf(timeZone)
    return true
  } catch {
    return false
  }
}

function timeOfDay(timeZone: string, moment: Date): string {
  return clockOf(timeZone).format(moment)
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Making one takes far longer than using it. There are about 600 time zones. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    clocks.set(timeZone, clock)
  }
  return clock
}
