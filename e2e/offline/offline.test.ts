import type { Message } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk } from '../../server/test/channel-fixture.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { field, row, say, sent, textsOf } from '../chat/chat-visit.ts'
import { DISCONNECTED, OFFLINE_COPY, openAnew, pathOf, readBoth, storedTexts, twoRooms } from './offline-visit.ts'
import { startProxy } from './portal-proxy.ts'
import { DESKTOP, PHONE, SESSION_ENDED } from '../portal-visit.ts'

const WAITING = 'Not sent yet. We’ll keep trying.'

describeInBrowser('the portal without a connection', ({ open }) => {
  test('opens with the last rooms read, keeps what is written when the tab is closed, and is live again by itself', async () => {
    const fixture = await twoRooms()
    const { server, room, plans, write, second, people } = fixture
    const before = await readBoth(open, fixture)
    await before.context().setOffline(true)
    let page = await openAnew(before, server.url)
    // The last room read.
    await row(page, 'said in plans').waitFor()
    expect(new URL(page.url()).pathname).toBe(pathOf(room, plans))
    await page.getByText(OFFLINE_COPY).waitFor()
    await field(page).waitFor()
    await page.getByRole('link', { name: /^workshop/ }).click()
    await row(page, 'said in the workshop').waitFor()
    expect(await textsOf(page)).toEqual(['said in the workshop'])

    await page.getByRole('link', { name: /^news/ }).click()
    await page.getByRole('heading', { name: 'This room isn’t available offline' }).waitFor()
    await page.getByRole('link', { name: /^plans/ }).click()
    await row(page, 'said in plans').waitFor()
    await say(page, 'written underground')
    await row(page, 'written underground').getByText(WAITING).waitFor()
    page = await openAnew(page, server.url + pathOf(room, plans))
    await row(page, 'written underground').waitFor()
    await row(page, 'said in plans').waitFor()

    expectOk(await people[0].delete(`/rooms/${plans.id}/messages/${second.id}`, { channelId: room.channelId }))
    await write(plans.id, 'said meanwhile')
    await page.context().setOffline(false)
    await row(page, 'said meanwhile').waitFor()
    await sent(page, 'written underground').waitFor()
    await page.getByText(OFFLINE_COPY).waitFor({ state: 'detached' })
    await expect.poll(() => textsOf(page)).toEqual(['said meanwhile', 'written underground'])
    await write(plans.id, 'live again')
    await row(page, 'live again').waitFor()
    const texts = ['said meanwhile', 'written underground', 'live again']
    await expect.poll(() => storedTexts(page)).toMatchObject({ [plans.id]: texts })
    const at = `/rooms/${plans.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await people[0].get<{ messages: Message[] }>(at))
    expect(messages.map(({ text }) => text).toReversed()).toEqual(texts)
  })

  test('shows nothing that was last brought up to date more than thirty days ago, and removes it', async () => {
    const fixture = await twoRooms()
    const before = await readBoth(open, fixture)
    await before.context().setOffline(true)
    const DAY = 24 * 60 * 60 * 1000
    await before.context().clock.setFixedTime(Date.now() + 29 * DAY)
    const page = await openAnew(before, fixture.server.url)
    await row(page, 'said in plans').waitFor()
    await page.context().clock.setFixedTime(Date.now() + 31 * DAY)
    const later = await openAnew(page, fixture.server.url)
    await later.getByRole('heading', { name: 'No connection' }).waitFor()
    expect(await storedTexts(later)).toEqual({})
  })

  test('shows nothing that was deleted or hidden while another room was open, or the portal closed', async () => {
    const fixture = await twoRooms()
    const { server, owner, room, plans, at, first, people, write } = fixture
    const next = await write(room.id, 'and another one')
    const before = await readBoth(open, fixture)
    const remove = async ({ id }: Message) =>
      expectOk(await people[0].delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    let page = await openAnew(before, server.url + pathOf(room, plans))
    await row(page, 'said in plans').waitFor()
    await remove(first)
    await expect.poll(() => storedTexts(page)).toMatchObject({ [room.id]: [next.text] })
    await page.goto('about:blank')
    await remove(next)
    page = await openAnew(page, server.url + pathOf(room, plans))
    await expect.poll(() => storedTexts(page)).toMatchObject({ [room.id]: [] })
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    await expect.poll(async () => Object.keys(await storedTexts(page))).toEqual([plans.id])
  })

  test('forgets a channel from which the reader was removed in the meantime', async () => {
    const fixture = await twoRooms()
    const { server, owner, room, at, people } = fixture
    const [person] = people
    const before = await readBoth(
      open,
      { ...fixture, owner: person },
      { excuses: [DISCONNECTED, /status of (403|422)/] },
    )
    await before.context().setOffline(true)
    const page = await openAnew(before, server.url)
    await row(page, 'said in plans').waitFor()
    expectOk(await owner.delete(`${at}/members/${person.id}`))
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'You were removed from Ateliers' }).waitFor()
    await expect.poll(() => storedTexts(page)).toEqual({})
    await page.context().setOffline(true)
    const next = await openAnew(page, server.url + pathOf(room, room))
    await next.locator('main').waitFor()
    await expect.poll(() => next.getByText('said in').count()).toBe(0)
  })

  test('says that nobody can sign out, and leaves nothing behind when someone does', async () => {
    const fixture = await twoRooms()
    const { server, owner } = fixture
    const before = await readBoth(open, fixture, { excuses: [DISCONNECTED, SESSION_ENDED] })
    await before.context().setOffline(true)
    let page = await openAnew(before, server.url)
    await row(page, 'said in plans').waitFor()
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You’re still signed in: there’s no connection. Sign out again when it’s back.').waitFor()
    await row(page, 'said in plans').waitFor()
    await page.context().setOffline(false)
    await page.getByText('You’re offline.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    // The page is loaded once more.
    await expect.poll(() => storedTexts(page)).toEqual({})
    await page.context().setOffline(true)
    page = await openAnew(page, server.url)
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    page = await openAnew(page, `${server.url}/sign-in`)
    await page.getByText('Can’t reach the server.').waitFor()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByText(owner.name).count()).toBe(0)
  })

  test('leaves nothing behind when the session has ended elsewhere', async () => {
    const fixture = await twoRooms()
    const { server, owner } = fixture
    const before = await readBoth(open, fixture, { excuses: [DISCONNECTED, SESSION_ENDED] })
    await before.context().setOffline(true)
    const page = await openAnew(before, server.url)
    await row(page, 'said in plans').waitFor()
    expectOk(await owner.delete('/sessions/current'))
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await expect.poll(() => storedTexts(page)).toEqual({})
  })

  test('opens with the files of the newest version while the server restarts, and keeps no others', async () => {
    const fixture = await twoRooms()
    const proxy = await startProxy(fixture.server.url)
    const place = { ...fixture, server: { ...fixture.server, url: proxy.url } }
    const before = await readBoth(open, place, { excuses: [DISCONNECTED, /status of 502/] })
    const shells = (page: Page) => page.evaluate(() => caches.keys())
    const [first] = await shells(before)
    expect(await shells(before)).toEqual([first])

    proxy.rewrite('/service-worker.js', (text) => text.replace(/"version":"[^"]+"/, '"version":"next"'))
    proxy.rewrite('/', (text) => text.replace('<head>', '<head><meta name="build" content="next">'))
    const upgraded = await openAnew(before, proxy.url)
    await row(upgraded, 'said in plans').waitFor()
    await expect.poll(() => shells(upgraded)).toEqual(['portico.shell.next'])
    proxy.stop()
    const page = await openAnew(upgraded, proxy.url)
    await row(page, 'said in plans').waitFor()
    await page.getByText(OFFLINE_COPY).waitFor()
    expect(await page.locator('meta[name="build"]').getAttribute('content')).toBe('next')
    proxy.resume()
    await page.getByText(OFFLINE_COPY).waitFor({ state: 'detached' })
    await fixture.write(fixture.plans.id, 'live again')
    await row(page, 'live again').waitFor()
  })

  test('says on other pages that there is no connection, without accessibility violations at any width', async () => {
    const fixture = await twoRooms()
    const { server, room, news } = fixture
    const before = await readBoth(open, fixture, { viewport: DESKTOP })
    await before.context().setOffline(true)
    const page = await openAnew(before, server.url)
    await row(page, 'said in plans').waitFor()
    await page.getByText(OFFLINE_COPY).waitFor()
    const lookAtBothWidths = async () => {
      expect(await axeViolations(page)).toEqual([])
      await page.setViewportSize(PHONE)
      expect(await axeViolations(page)).toEqual([])
      await page.setViewportSize(DESKTOP)
    }
    await lookAtBothWidths()
    await page.goto(server.url + pathOf(room, news))
    await page.getByRole('heading', { name: 'This room isn’t available offline' }).waitFor()
    await lookAtBothWidths()
    await page.goto(`${server.url}/explore`)
    await page.getByRole('main').getByRole('heading', { name: 'No connection' }).waitFor()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.goto(`${server.url}/settings/sessions`)
    await page.getByRole('main').getByRole('heading', { name: 'No connection' }).waitFor()
  })
})
