import type { Message } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { describeInBrowser } from '../browser.ts'
import { field, row, say, sent, textsOf } from '../chat/chat-visit.ts'
import { choose, tray } from '../chat/files-visit.ts'
import { DISCONNECTED, openAnew, pathOf, readBoth, storedTexts, twoRooms } from './offline-visit.ts'
import { SESSION_ENDED, signIn } from '../portal-visit.ts'

const SENDS = '**/portal/v1/rooms/*/messages'
const excuses = [DISCONNECTED, SESSION_ENDED, /status of 403/]

/** The first person reads, has a message that isn’t sent, and begins another one. */
async function writeUnsent(page: Page): Promise<void> {
  await page.context().route(SENDS, (route) => route.abort())
  await say(page, 'not sent yet')
  await row(page, 'not sent yet').getByText('Not sent yet. We’ll keep trying.').waitFor()
  await field(page).fill('only begun')
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('only begun')
}

async function signOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name }).first().click()
  await page.getByRole('button', { name: 'Sign out' }).click()
}

/** The other person opens the portal without a connection, and sees nothing of the first one. */
async function expectNothingOf(page: Page, url: string, first: Person): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
  for (const path of ['/', new URL(page.url()).pathname]) {
    const next = await page.context().newPage()
    await next.goto(url + path)
    await next.locator('main').waitFor()
    await next.waitForFunction(() => document.querySelector('main')?.textContent?.trim() !== '')
    const text = await next.evaluate(() => document.body.innerText)
    for (const hidden of ['not sent yet', 'only begun', first.name]) expect(text).not.toContain(hidden)
    await next.close()
  }
}

async function textsIn(
  reader: Person,
  { channelId }: { channelId: string },
  { id }: { id: string },
): Promise<string[]> {
  const at = `/rooms/${id}/messages?channelId=${channelId}`
  const { messages } = expectOk(await reader.get<{ messages: Message[] }>(at))
  return messages.map(({ text, author }) => `${author.name}: ${text}`).toReversed()
}

/** Everything that a page can store in a browser. */
function storages(page: Page) {
  return page.evaluate(async () => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: (await indexedDB.databases()).map(({ name }) => name).toSorted(),
    cached: (
      await Promise.all(
        (await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)),
      )
    ).flat(),
    cookies: document.cookie,
  }))
}

describeInBrowser('another person at the same browser', ({ open }) => {
  test('sees and sends nothing of someone whose session has ended, who finds it all later', async () => {
    const fixture = await twoRooms()
    const { server, owner, room, plans, people } = fixture
    const [other] = people
    const path = pathOf(room, plans)
    const page = await readBoth(open, fixture, { excuses })
    await writeUnsent(page)
    expectOk(await owner.delete('/sessions/current'))
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expect.poll(() => storedTexts(page)).toEqual({})
    await page.context().unroute(SENDS)

    await signIn(page, other)
    await row(page, 'said in plans').waitFor()
    expect(await field(page).inputValue()).toBe('')
    await say(page, 'hello')
    await sent(page, 'hello').waitFor()
    expect(await textsOf(page)).toEqual(['said in plans', 'hello'])
    await expect.poll(() => storedTexts(page)).toMatchObject({ [plans.id]: ['said in plans', 'hello'] })
    await page.context().setOffline(true)
    let tab = await openAnew(page, server.url + path)
    await row(tab, 'hello').waitFor()
    expect(await textsOf(tab)).toEqual(['said in plans', 'hello'])
    expect(await field(tab).inputValue()).toBe('')
    await tab.context().setOffline(false)
    await tab.getByText('You’re offline.').waitFor({ state: 'detached' })

    // Signing out removes what is their own.
    await signOut(tab, other)
    await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(tab, owner)
    await tab.getByRole('button', { name: owner.name }).first().waitFor()
    tab = await openAnew(tab, server.url + path)
    await sent(tab, 'not sent yet').waitFor()
    await expect.poll(() => field(tab).inputValue()).toBe('only begun')
    const said = [`${other.name}: said in plans`, `${other.name}: hello`, `${owner.name}: not sent yet`]
    expect(await textsIn(other, room, plans)).toEqual(said)
  })

  test('finds no storage of someone who has signed out, and sees nothing of them', async () => {
    const fixture = await twoRooms()
    const { server, owner, room, plans, people } = fixture
    const [other] = people
    const page = await readBoth(open, fixture, { excuses })
    await writeUnsent(page)
    const file = { name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('secret plan') }
    await choose(page, [file])
    await tray(page).getByText('plan.txt').waitFor()
    const OWN = ['portico.attachments', 'portico.offline', 'portico.outbox']
    await expect.poll(async () => (await storages(page)).databases).toEqual(OWN)
    const before = JSON.stringify(await storages(page))
    expect(before).toContain('only begun')

    await signOut(page, owner)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.context().unroute(SENDS)
    const left = await storages(page)
    expect(left.databases).toEqual([])
    expect(left.cached.filter((url) => !/\/(_app\/|icons\/|manifest|$)/.test(new URL(url).pathname))).toEqual([])
    // What remains names no one: it says that someone has signed in here, for the throttle of sign-in attempts.
    const cookies = await page.context().cookies()
    expect(cookies.filter(({ name }) => !name.endsWith('portico-device'))).toEqual([])
    expect(JSON.stringify(cookies)).not.toContain(owner.id)
    for (const trace of [owner.id, room.id, plans.id, 'only begun', 'not sent yet', 'plan.txt'])
      expect(JSON.stringify(left)).not.toContain(trace)
    expect(server.url).toBe(new URL(page.url()).origin)

    await signIn(page, other)
    await page.getByRole('button', { name: other.name }).first().waitFor()
    await page.context().setOffline(true)
    await expectNothingOf(page, server.url, owner)
    await page.context().setOffline(false)
    const tab = await openAnew(page, server.url + pathOf(room, plans))
    await row(tab, 'said in plans').waitFor()
    expect(await textsOf(tab)).toEqual(['said in plans'])
    expect(await field(tab).inputValue()).toBe('')
    expect(await textsIn(other, room, plans)).toEqual([`${other.name}: said in plans`])
  })

  test('gets a page of their own in tabs that the first one has left open', async () => {
    const fixture = await twoRooms()
    const { server, owner, room, plans, people } = fixture
    const [other] = people
    const page = await readBoth(open, fixture, { excuses })
    await writeUnsent(page)
    // Nothing is answered in this tab until it loads a page anew, so it doesn’t learn that its session has ended.
    let isLoadedAnew = false
    await page.route('**/portal/v1/**', (route) => (isLoadedAnew ? route.fallback() : undefined))
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isLoadedAnew = true
    })
    const second = await page.context().newPage()
    await second.goto(`${server.url}/settings`)
    expectOk(await owner.delete('/sessions/current'))
    await second.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.evaluate(() => (document.documentElement.dataset['left'] = 'open'))
    await signIn(second, other)
    await page.locator('html:not([data-left])').waitFor()
    await page.getByRole('button', { name: other.name }).first().waitFor()
    await page.context().unroute(SENDS)
    await row(page, 'said in plans').waitFor()
    expect(await textsOf(page)).toEqual(['said in plans'])
    expect(await field(page).inputValue()).toBe('')
    expect(await textsIn(other, room, plans)).toEqual([`${other.name}: said in plans`])
  })
})
