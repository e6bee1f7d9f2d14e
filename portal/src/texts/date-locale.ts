import { locale } from './locale.svelte.ts'

/** Where English is chosen by a browser without a country of its own: the day first, and 24 hours. */
const ENGLISH = 'en-GB'

/** The locale for dates and numbers. In English it is that of the browser, such as en-US. */
export function dateLocale(): string {
  if (locale.current !== 'en') return locale.current
  return navigator.languages.find((tag) => tag.startsWith('en-')) ?? ENGLISH
}
