import type { Account } from '@portico/contract'
import { untrack } from 'svelte'
import { locale } from '#texts/locale.svelte.ts'
import { theme } from './theme.svelte.ts'

/** The account's settings win over those of this browser. */
export function applyAccountChoices(account: Account): void {
  untrack(() => {
    if (account.theme !== theme.chosen) theme.choose(account.theme)
    if (account.locale && account.locale !== locale.current) locale.choose(account.locale)
  })
}
