import { getLocale } from '#paraglide/runtime.js'

const MEGABYTE = 1024 ** 2

/** A size as people read it: `840 kB`, `2.4 MB`. Rounded up, so that a file over a limit never reads as the limit. */
export function formatBytes(bytes: number): string {
  const [value, unit] = bytes < MEGABYTE ? [bytes / 1024, 'kilobyte'] : [bytes / MEGABYTE, 'megabyte']
  return new Intl.NumberFormat(getLocale(), {
    style: 'unit',
    unit,
    maximumFractionDigits: unit === 'megabyte' ? 1 : 0,
    roundingMode: 'ceil',
  }).format(value)
}
