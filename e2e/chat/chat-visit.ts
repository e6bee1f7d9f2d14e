import type { Locator, Page } from 'playwright-core'
import { idAt } from '../../server/src/command-line/demo/id-at.ts'
import { newId } from '../../server/src/operations/ids.ts'
import { expectOk } from '../../server/test/expect-ok.ts'
import type { Person } from '../../server/test/person.ts'
import type { ChannelFixture } from '../../server/test/channel-fixture.ts'
import type { Visit, Visitor } from '../browser.ts'

type Talked = Pick<ChannelFixture<0, 0>, 'server' | 'owner' | 'room'>

interface Place {
  readonly url: string
  readonly room: { readonly id: string; readonly channelId: string }
}

/** Opens a browser in which this person is already signed in. */
export function signedIn(url: string, { cookie }: Person): Visit {
  const [name = '', value = ''] = cookie.split('=')
  const { hostname } = new URL(url)
  const session = { name, value, domain: hostname, path: '/', expires: -1, httpOnly: true, secure: false }
  return { locale: 'en-GB', storageState: { cookies: [{ ...session, sameSite: 'Lax' as const }], origins: [] } }
}

/** Opens a room as this person, and waits for the composer or for the reason why it is closed. */
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

/** Opens a room, and waits until its page is connected: notices and typing indicators sent before that are lost. */
export async function openConnected(
  open: Visitor['open'],
  place: Place,
  person: Person,
  writer: Person,
  visit: Visit = {},
): Promise<Page> {
  const page = await openRoom(open, place, person, visit)
  const { id, channelId } = place.room
  // The first one may still come with the history.
  for (const text of [`Hello ${newId()}`, `Hello again ${newId()}`]) {
    expectOk(await writer.post(`/rooms/${id}/messages`, { channelId, text }))
    await sent(page, text).waitFor()
  }
  return page
}

export function field(page: Page): Locator {
  return page.getByRole('textbox', { name: /^Message #/ })
}

/** The row of the message with this text. */
export function row(page: Page, text: string | RegExp): Locator {
  return page.getByRole('region', { name: 'Messages' }).getByRole('article').filter({ hasText: text })
}

/** The row of the message with this text, once the server has stored it: before that it has no actions. */
export function sent(page: Page, text: string | RegExp): Locator {
  return row(page, text).and(page.locator(':not(.unsent)'))
}

export async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text)
  await field(page).press('Enter')
}

/** A highlight lasts a moment, which a slow machine may miss: this tab records it, also on its next pages. */
export async function noteTinted(page: Page): Promise<void> {
  const note = () => {
    new MutationObserver(() => {
      const text = document.querySelector('article.tinted')?.textContent
      if (text) document.documentElement.dataset['tinted'] = text
    }).observe(document, { subtree: true, childList: true, attributeFilter: ['class'] })
  }
  await page.addInitScript(note)
  await page.evaluate(note)
}

/** Waits until the message with this text was highlighted. */
export function wasTinted(page: Page, text: string): Promise<void> {
  return page.locator(`html[data-tinted*="${text}"]`).waitFor()
}

/** Long-presses a message until its actions appear. */
export async function openSheet(page: Page, text: string | RegExp): Promise<Locator> {
  const sheet = page.getByRole('dialog', { name: 'Message actions' })
  const words = sent(page, text).locator('.body')
  await words.scrollIntoViewIfNeeded()
  const { x, y } = (await words.boundingBox()) ?? { x: 0, y: 0 }
  const touch = await page.context().newCDPSession(page)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x: x + 8, y: y + 8 }] })
  await sheet.waitFor()
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await touch.detach()
  return sheet
}

/** Inserts a message from an hour ago into the database: too old to be edited. */
export async function sayLongAgo({ server, owner, room }: Talked, text: string): Promise<void> {
  const moment = Date.now() - 3_600_000
  const place = { channel_id: room.channelId, room_id: room.id, author_id: owner.id }
  const values = { ...place, id: idAt(moment), text, created_at: new Date(moment).toISOString() }
  await server.services.database.kysely.insertInto('messages').values(values).execute()
}

/** Presses a button in the row's toolbar. */
export async function act(page: Page, text: string | RegExp, action: string): Promise<void> {
  await row(page, text).hover()
  await row(page, text).getByRole('toolbar').getByRole('button', { name: action, exact: true }).click()
}

/** The texts of the rows in the list. */
export async function textsOf(page: Page): Promise<string[]> {
  const texts = await page.getByRole('article').locator('.body').allInnerTexts()
  // While a row is being laid out, its text also contains the spaces between its elements.
  return texts.map((text) => text.trim())
}
