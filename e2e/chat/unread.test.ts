import { setTimeout as sleep } from 'node:timers/promises'
import type { Room, RoomReadState } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { describeInBrowser } from '../browser.ts'
import { act, row, signedIn } from './chat-visit.ts'
import { focused, newMessage } from '../portal-visit.ts'

async function say(person: Person, room: Room & { channelId: string }, text: string): Promise<void> {
  expectOk(await person.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
}

function roomLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name })
}

async function hasUnread(person: Person): Promise<boolean> {
  const { rooms } = expectOk(await person.get<{ rooms: RoomReadState[] }>('/read-states'))
  return rooms.some(({ unread }) => unread)
}

describeInBrowser('unread messages', ({ open }) => {
  test('are highlighted, with a count of mentions, in both windows of a person', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const inPlans = { ...plans, channelId: channel.id }
    const other = expectOk(await owner.post<{ id: string }>('/channels', { name: 'Elsewhere' }))
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await roomLink(page, 'plans').waitFor()
    const second = await page.context().newPage()
    await second.goto(`${server.url}/c/${other.id}`)
    const rail = second.getByRole('navigation', { name: 'Channels' })
    await rail.getByRole('link', { name: 'Ateliers' }).waitFor()

    await say(ada, inPlans, 'hello')
    await roomLink(page, 'plans text room, unread').waitFor()
    await rail.getByRole('link', { name: 'Ateliers unread' }).waitFor()
    await say(ada, inPlans, `look, <@${owner.id}>`)
    await roomLink(page, 'plans text room, unread 1 mention').waitFor()
    await rail.getByRole('link', { name: 'Ateliers 1 mention' }).waitFor()

    await roomLink(page, 'plans').click()
    await newMessage(page).waitFor()
    await rail.getByRole('link', { name: 'Ateliers', exact: true }).waitFor()
    await second.goto(`${server.url}/c/${channel.id}/${room.id}`)
    const rooms = second.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans text room', exact: true }).waitFor()
  })

  test('no longer count a mention that its author takes back by an edit', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await roomLink(page, 'plans').waitFor()
    const messages = `/rooms/${plans.id}/messages`
    const text = `look, <@${owner.id}>`
    const { id } = expectOk(await ada.post<{ id: string }>(messages, { channelId: channel.id, text }))
    await roomLink(page, 'plans text room, unread 1 mention').waitFor()
    expectOk(await ada.patch(`${messages}/${id}`, { channelId: channel.id, text: 'never mind' }))
    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans text room, unread', exact: true }).waitFor()
  })

  test('in a muted room are not highlighted, and the room menu mutes and marks as read', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const link = roomLink(page, 'plans')
    await say(people[0], { ...plans, channelId: channel.id }, 'hello')
    await roomLink(page, 'plans text room, unread').waitFor()

    await link.focus()
    await page.keyboard.press('Shift+F10')
    const menu = page.getByRole('menu', { name: 'plans' })
    await focused(page, menu.getByRole('menuitem', { name: 'Mark as read' }))
    await page.keyboard.press('Enter')
    await roomLink(page, 'plans text room, unread').waitFor({ state: 'detached' })

    await link.focus()
    await page.keyboard.press('Shift+F10')
    await focused(page, menu.getByRole('menuitem', { name: 'Mute' }))
    await page.keyboard.press('Enter')
    await roomLink(page, 'plans text room, muted').waitFor()
    await say(people[0], { ...plans, channelId: channel.id }, 'again')
    await say(people[0], { ...room }, 'here as well')
    await page.getByRole('article').getByText('here as well').waitFor()
    await expect.poll(() => roomLink(page, 'plans text room, muted').count()).toBe(1)
    await expect.poll(() => roomLink(page, 'unread').count()).toBe(0)
  })

  test('begin at a message that the reader marks, until they come back to the room', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    for (const text of ['one', 'two', 'three']) await say(people[0], room, text)
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await row(page, 'three').waitFor()
    await act(page, 'two', 'Mark unread from here')
    await page.getByText('New', { exact: true }).waitFor()
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await roomLink(page, 'workshop text room, unread').click()
    await row(page, 'three').waitFor()
    await page.getByText('New', { exact: true }).waitFor()
    await expect.poll(() => hasUnread(owner)).toBe(false)
  })

  test('begin at a message that the reader marks while the room is still being marked as read', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    for (const text of ['one', 'two', 'three']) await say(people[0], room, text)
    const page = await open(`${server.url}/explore`, signedIn(server.url, owner))
    await page.getByRole('navigation', { name: 'Channels' }).waitFor()
    const requested = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/portal/v1/rooms/*/read', async (route) => {
      requested.resolve()
      await held.promise
      await route.continue()
    })
    await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
    await requested.promise
    const answers = Promise.all(['read', 'unread'].map((path) => page.waitForResponse(`**/portal/v1/rooms/*/${path}`)))
    await act(page, 'two', 'Mark unread from here')
    // Long enough for a page that would not wait for the answer.
    await sleep(500)
    held.resolve()
    await answers
    expect(await hasUnread(owner)).toBe(true)
  })

  test('are a click away if they begin above what is shown', async () => {
    const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    await say(people[0], room, 'old')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await row(page, 'old').waitFor()
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    for (let number = 1; number <= 40; number += 1) await say(people[0], room, `news number ${number}.`)
    await roomLink(page, 'workshop text room, unread').click()
    await row(page, 'news number 40.').waitFor()
    const jump = page.getByRole('button', { name: 'Jump to first unread' })
    await jump.click()
    await row(page, 'news number 1.').waitFor()
    await expect.poll(() => isInView(row(page, 'news number 1.'))).toBe(true)
    await jump.waitFor({ state: 'detached' })
  })
})

function isInView(message: Locator): Promise<boolean> {
  return message.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
}
