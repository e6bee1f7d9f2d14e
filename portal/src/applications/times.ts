import { m } from '#paraglide/messages.js'
import { dateLocale } from '#texts/date-locale.ts'

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** 15 Nov, 18:04:10 */
export function exactTime(moment: string): string {
  const format = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
  return new Intl.DateTimeFormat(dateLocale(), format).format(new Date(moment))
}

/** 5 minutes ago, or in 5 minutes. */
export function relative(moment: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(moment) - now) / 1000)
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1]
  if (unit === 'second' && seconds <= 0 && seconds > -10) return m.applications_just_now()
  return new Intl.RelativeTimeFormat(dateLocale(), { numeric: 'auto' }).format(Math.round(seconds / length), unit)
}

/** 240 ms, or 1.2 s. */
export function duration(milliseconds: number): string {
  const unit = milliseconds < 1000 ? 'millisecond' : 'second'
  const value = milliseconds < 1000 ? milliseconds : milliseconds / 1000
  return new Intl.NumberFormat(dateLocale(), {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  }).format(value)
}
