import { locale } from '#appearance/locale.svelte.ts'

function language(): string {
  return locale.current === 'en' ? 'en-GB' : locale.current
}

/** 3 Nov 2026, 18:04 */
export function whenOf(moment: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(moment))
}

/** 3 November 2026 */
export function dayOf(moment: string): string {
  return new Intl.DateTimeFormat(language(), { dateStyle: 'long' }).format(new Date(moment))
}
