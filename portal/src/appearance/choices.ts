import type { QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { api } from '#api/api.ts'
import { explainError } from '#api/explain-error.ts'
import { m } from '#paraglide/messages.js'
import { sessionKey } from '#api/session.ts'
import { createChoice } from '#ui/choice.svelte.ts'
import { locale, type Locale } from '#texts/locale.svelte.ts'
import { theme, type Theme } from './theme.svelte.ts'

const notSaved = (error: unknown): string => m.error_choice_not_saved({ why: explainError(error) })
const themeOfAccount = createChoice((next: Theme) => api.updateAccount({ theme: next }), notSaved)
const localeOfAccount = createChoice((next: Locale) => api.updateAccount({ locale: next }), notSaved)

/** A new account takes over the language and theme that were chosen before it existed. */
export function saveChoicesToAccount(client: QueryClient): void {
  chooseTheme(client, theme.chosen)
  chooseLocale(client, locale.current)
}

/** Takes effect immediately and is saved to the account, so it follows a person to other devices. */
export function chooseTheme(client: QueryClient, next: Theme): void {
  theme.choose(next)
  if (showInAccount(client, { theme: next })) void themeOfAccount.choose(next)
}

export function chooseLocale(client: QueryClient, next: Locale): void {
  locale.choose(next)
  if (showInAccount(client, { locale: next })) void localeOfAccount.choose(next)
}

function showInAccount(client: QueryClient, choice: { theme?: Theme; locale?: Locale }): boolean {
  const account = client.getQueryData<Account | null>(sessionKey)
  if (account) client.setQueryData(sessionKey, { ...account, ...choice })
  return Boolean(account)
}
