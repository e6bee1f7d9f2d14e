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

/** What the account remembers wins over what this browser remembers. */
export function adoptChoices(account: Account): void {
  untrack(() => {
    if (account.theme !== theme.chosen) theme.choose(account.theme)
    if (account.locale && account.locale !== locale.current) locale.choose(account.locale)
  })
}

/** A new account knows nothing yet: it takes over what was chosen on the way in. */
export async function bequeathChoices(client: QueryClient): Promise<void> {
  await keepWithAccount(client, { theme: theme.chosen, locale: locale.current })
}

/** Takes effect at once; a signed-in person's choice follows them to other devices. */
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
