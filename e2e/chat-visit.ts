import type { Locator, Page } from 'playwright-core'
import type { Person } from '../server/test/person.ts'
import type { Visit, Visitor } from './browser.ts'

interface Place {
  readonly url: string
  readonly room: { readonly id: string; readonly channelId: string }
}

/** A browser in which somebody is signed in already, as a tab that was opened before. */
export function signedIn(url: string, { cookie }: Person): Visit {
  const [name = '', value = ''] = cookie.split('=')
  const { hostname } = new URL(url)
  const kept = { name, value, domain: hostname, path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' }
  return { locale: 'en-GB', storageState: { cookies: [{ ...kept, sameSite: 'Lax' as const }], origins: [] } }
}

/** Opens a room as somebody, and waits until it can be written in or says why not. */
export async function openRoom(
  open: Visitor['open'],
  { url, room }: Place,
  person: Person,
  { messageId, ...visit }: Visit & { messageId?: string } = {},
): Promise<Page> {
  const path = ['/c', room.channelId, room.id, messageId].filter(Boolean).join('/')
  const page = await open(url + path, { ...signedIn(url, person), ...visit })
  await page.locator('[data-landmark="composer"]').waitFor()
  return page
}

export function field(page: Page): Locator {
  return page.getByRole('textbox', { name: /^Message #/ })
}

/** The row of the message with this text. */
export function row(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Messages' }).getByRole('article').filter({ hasText: text })
}

export async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

/** Presses a button of the row's own toolbar. */
export async function act(page: Page, text: string | RegExp, action: string): Promise<void> {
  await row(page, text).hover()
  await row(page, text).getByRole('toolbar').getByRole('button', { name: action, exact: true }).click()
}
