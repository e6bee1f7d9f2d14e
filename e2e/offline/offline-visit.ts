import type { Message, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import type { Visit, Visitor } from '../browser.ts'
import { openRoom, row } from '../chat/chat-visit.ts'

export const OFFLINE_COPY = 'You’re offline. Showing what you last read.'
export const DISCONNECTED =
  /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_FAILED|WebSocket|ERR_NETWORK|ERR_ABORTED/
const worker = { serviceWorkers: 'allow', excuses: [DISCONNECTED] } satisfies Visit

/** The texts of the messages that the browser stores, by room. */
export function storedTexts(page: Page): Promise<Record<string, string[]>> {
  return page.evaluate(async () => {
    const known = await indexedDB.databases()
    if (!known.some(({ name }) => name === 'portico.offline')) return {}
    const opening = indexedDB.open('portico.offline')
    // The page may be deleting it: then this would create an empty one, which would stay.
    opening.addEventListener('upgradeneeded', () => opening.transaction?.abort())
    const isThere = await new Promise<boolean>((resolve) => {
      opening.addEventListener('success', () => resolve(true))
      opening.addEventListener('error', (event) => {
        event.preventDefault()
        resolve(false)
      })
    })
    if (!isThere) return {}
    const database = opening.result
    try {
      const reading = database.transaction('rooms').objectStore('rooms').getAll()
      await new Promise((resolve) => reading.addEventListener('success', resolve))
      const rooms = reading.result as { roomId: string; messages: { text: string }[] }[]
      return Object.fromEntries(rooms.map(({ roomId, messages }) => [roomId, messages.map(({ text }) => text)]))
    } finally {
      database.close()
    }
  })
}

/** Waits until the browser has stored what it needs to open the portal without a connection. */
async function shellStored(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(async () => (await caches.match('/')) !== undefined)).toBe(true)
}

/** Closes the tab and opens another one. */
export async function openAnew(page: Page, url: string): Promise<Page> {
  const context = page.context()
  await page.close()
  const next = await context.newPage()
  await next.goto(url)
  return next
}

export async function twoRooms() {
  const fixture = await channelFixture({ people: 1 })
  const { owner, at, room, people } = fixture
  const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
  const news = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'news', type: 'text' }))
  const write = async (roomId: string, text: string, by: Person = people[0]): Promise<Message> =>
    expectOk(await by.post<Message>(`/rooms/${roomId}/messages`, { channelId: room.channelId, text }))
  const first = await write(room.id, 'said in the workshop')
  const second = await write(plans.id, 'said in plans')
  await write(news.id, 'said in the news')
  return { ...fixture, plans, news, write, first, second }
}

export type Fixture = Awaited<ReturnType<typeof twoRooms>>

/** Reads both rooms as the channel’s owner, until they are stored. */
export async function readBoth(
  open: Visitor['open'],
  { server, owner, room, plans, first, second }: Fixture,
  visit: Visit = {},
): Promise<Page> {
  const page = await openRoom(open, { url: server.url, room }, owner, { ...worker, ...visit })
  await row(page, first.text).waitFor()
  await page.evaluate((path) => document.querySelector<HTMLElement>(`a[href="${path}"]`)?.click(), pathOf(room, plans))
  await row(page, second.text).waitFor()
  await shellStored(page)
  await expect
    .poll(() => storedTexts(page))
    .toMatchObject({
      [room.id]: expect.arrayContaining([first.text]),
      [plans.id]: expect.arrayContaining([second.text]),
    })
  return page
}

export function pathOf({ channelId }: { channelId: string }, { id }: { id: string }): string {
  return `/c/${channelId}/${id}`
}
