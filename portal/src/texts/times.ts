import { dateLocale } from './date-locale.ts'

const UNITS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** 15 Nov 2026, 18:04 */
export function dateTime(moment: string): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))
}

/** 23:37 today, or else 16 November at 23:37. */
export function untilTime(moment: string, now = new Date()): string {
  const at = new Date(moment)
  if (at.toDateString() !== now.toDateString()) return dayAndTime(moment, now)
  return new Intl.DateTimeFormat(dateLocale(), { hour: '2-digit', minute: '2-digit' }).format(at)
}

/** 16 November at 23:37, with the year if it is another one. */
export function dayAndTime(moment: string, now = new Date()): string {
  const at = new Date(moment)
  const options: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' }
  if (at.getFullYear() !== now.getFullYear()) options.year = 'numeric'
  return new Intl.DateTimeFormat(dateLocale(), options).format(at)
}

/** 15 November 2026 at 18:04 */
export function longDateTime(moment: number): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'long', timeStyle: 'short' }).format(moment)
}

/** 15 November 2026 */
export function longDate(moment: string): string {
  const date = new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'long' }).format(new Date(moment))
  // Keeps the Russian “г.” (year) on the line of its number.
  return date.replace(' г.', '\u00A0г.')
}

/** 5 minutes ago, or "now" within the last minute. */
export function ago(moment: string, now = Date.now()): string {
  const seconds = Math.min(0, Math.round((Date.parse(moment) - now) / 1000))
  const [unit, length] = UNITS.find(([, length]) => -seconds >= length) ?? ['second', 60]
  return new Intl.RelativeTimeFormat(dateLocale(), { numeric: 'auto' }).format(Math.trunc(seconds / length) || 0, unit)
}

export function wholeNumber(value: number): string {
  return new Intl.NumberFormat(dateLocale()).format(value)
}

/** 0.4 ms */
export function milliseconds(value: number): string {
  const format = { style: 'unit', unit: 'millisecond', unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(dateLocale(), format).format(value)
}

/** 3 days, or 2 hours, or 5 minutes: the largest unit that fits. */
export function duration(seconds: number): string {
  const [unit, length] = UNITS.slice(2).find(([, length]) => seconds >= length) ?? ['minute', 60]
  const format = { style: 'unit', unit, unitDisplay: 'long' } as const
  return new Intl.NumberFormat(dateLocale(), format).format(Math.floor(seconds / length))
}

/** 42 MB */
export function bytes(value: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3))
  const format = { style: 'unit', unit: units[step] ?? 'byte', unitDisplay: 'short', maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(dateLocale(), format).format(value / 1000 ** step)
}
