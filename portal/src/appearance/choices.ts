import type { QueryClient } from '@tanstack/svelte-query'
import type { Account } from '@portico/contract'
import { untrack } from 'svelte'
import { api } from '#api.ts'
import { explainError } from '#explain-error.ts'
import { m } from '#paraglide/messages.js'
import { sessionKey } from '#accounts/session.ts'
import { showToast } from '#ui/toasts.svelte.ts'
import { locale, type Locale } from './locale.svelte.ts'
import { theme, type Theme } from './theme.svelte.ts'

/** The account's settings win over those of this browser. */
export function applyAccountChoices(account: Account): void {
  untrack(() => {
    if (account.theme !== theme.chosen) theme.choose(account.theme)
    if (account.locale && account.locale !== locale.current) locale.choose(account.locale)
  })
}

/** A new account takes over the language and theme that were chosen before it existed. */
export async function saveChoicesToAccount(client: QueryClient): Promise<void> {
  await keepWithAccount(client, { theme: theme.chosen, locale: locale.current })
}

/** Takes effect immediately and is saved to the account, so it follows a person to other devices. */
export async function chooseTheme(client: QueryClient, next: Theme): Promise<void> {
  theme.choose(next)
  await keepWithAccount(client, { theme: next })
}

export async function chooseLocale(client: QueryClient, next: Locale): Promise<void> {
  locale.choose(next)
  await keepWithAccount(client, { locale: next })
}

async function keepWithAccount(client: QueryClient, choice: { theme?: Theme; locale?: Locale }): Promise<void> {
  const account = client.getQueryData<Account | null>(sessionKey)
  if (!account) return
  client.setQueryData(sessionKey, { ...account, ...choice })
  try {
    await api.updateAccount(choice)
  } catch (error) {
    showToast(() => m.error_choice_not_saved({ why: explainError(error) }))
  }
}
