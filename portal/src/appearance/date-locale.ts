import { locale } from './locale.svelte.ts'

/** How dates are written: in English with the day first and 24 hours, as the rest of the portal writes them. */
export function dateLocale(): string {
  return locale.current === 'en' ? 'en-GB' : locale.current
}
