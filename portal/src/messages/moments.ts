import { dateLocale } from '#texts/date-locale.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${dateLocale()} ${name}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(dateLocale(), options)
  formats.set(key, known)
  return known
}

/** 18:04 */
export function timeOf(moment: string): string {
  return formatOf('time', { timeStyle: 'short' }).format(new Date(moment))
}

/** 18:04, or 6:04 without AM or PM: there is little space for it, and the group above says which. */
export function shortTimeOf(moment: string): string {
  const parts = formatOf('time', { timeStyle: 'short' }).formatToParts(new Date(moment))
  return parts
    .flatMap(({ type, value }) => (type === 'dayPeriod' ? [] : value))
    .join('')
    .trim()
}

/** Monday, 3 November 2025 */
export function dayOf(moment: string): string {
  return formatOf('day', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(new Date(moment))
}

/** 3 Nov 2025 */
export function shortDayOf(moment: string): string {
  return formatOf('short', { day: 'numeric', month: 'short', year: 'numeric' }).format(new Date(moment))
}

/** 3 November 2025, 18:04:10 */
export function momentOf(moment: string): string {
  return formatOf('moment', { dateStyle: 'long', timeStyle: 'medium' }).format(new Date(moment))
}
