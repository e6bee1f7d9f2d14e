import { dateLocale } from '#appearance/date-locale.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${dateLocale()} ${name}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat(dateLocale(), options)
  formats.set(key, known)
  return known
}

/** 18:04 */
export function timeOf(moment: string): string {
  return formatOf('time', { hour: '2-digit', minute: '2-digit' }).format(new Date(moment))
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
