import { locale } from './locale.svelte.ts'

/** The locale for dates and numbers. English dates are written with the day first and 24 hours. */
export function dateLocale(): string {
  return locale.current === 'en' ? 'en-GB' : locale.current
}
