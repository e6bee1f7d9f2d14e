import { setTimeout as sleep } from 'node:timers/promises'
import type { Room, RoomReadState } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { describeInBrowser } from '../browser.ts'
import { act, row, sent, signedIn } from './chat-visit.ts'
import { choose, entry, textFile } from './files-visit.ts'
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

describeInBrowser('drafts', ({ open }) => {
  test('are marked in the list of rooms until they are sent', async () => {
    const { server, owner, channel, room, at } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await newMessage(page).fill('half a thought')
    await roomLink(page, 'plans').click()
    await roomLink(page, 'workshop text room, draft').waitFor()
    await page.reload()
    await roomLink(page, 'workshop text room, draft').click()
    await expect.poll(() => newMessage(page).inputValue()).toBe('half a thought')
    await newMessage(page).press('Enter')
    await row(page, 'half a thought').waitFor()
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await roomLink(page, 'draft').waitFor({ state: 'detached' })
  })

  test('get the change to a message that someone else deletes meanwhile', async () => {
    const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
    const typo = { channelId: channel.id, text: 'a typo' }
    const { id } = expectOk(await people[0].post<{ id: string }>(`/rooms/${room.id}/messages`, typo))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, people[0]))
    await newMessage(page).fill('half a thought')
    await act(page, 'a typo', 'Edit')
    await page.getByRole('textbox', { name: 'Edit message' }).fill('a much better text')
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId: channel.id }))
    await expect.poll(() => newMessage(page).inputValue()).toBe('half a thought\na much better text')
    await page.getByText('Your text is in the message field.').waitFor()
    await page.reload()
    await expect.poll(() => newMessage(page).inputValue()).toBe('half a thought\na much better text')
    await page.getByRole('textbox', { name: 'Edit message' }).waitFor({ state: 'detached' })
  })

  test('keep an unfinished change, and the message that is being answered', async () => {
    const { server, owner, channel, room, at } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    await say(owner, room, 'a typo')
    await say(owner, room, 'a question')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await act(page, 'a question', 'Reply')
    await newMessage(page).fill('half an answer')
    await act(page, 'a typo', 'Edit')
    const edited = page.getByRole('textbox', { name: 'Edit message' })
    await edited.fill('a type')

    for (const reloads of [false, true]) {
      await roomLink(page, 'plans').click()
      await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
      await roomLink(page, 'workshop text room, draft').click()
      await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
      if (reloads) await page.reload()
      await expect.poll(() => edited.inputValue()).toBe('a type')
      await expect.poll(() => newMessage(page).inputValue()).toBe('half an answer')
      await page.getByText(`Replying to ${owner.name}`).waitFor()
    }
    await edited.press('Enter')
    await row(page, 'a type').waitFor()
    await newMessage(page).press('Enter')
    await sent(page, 'half an answer').getByText('a question').waitFor()
    await roomLink(page, 'plans').click()
    await roomLink(page, 'draft').waitFor({ state: 'detached' })
  })

  test('of two tabs in one room are both kept', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const address = `${server.url}/c/${channel.id}/${room.id}`
    const first = await open(address, signedIn(server.url, owner))
    await newMessage(first).waitFor()
    const second = await first.context().newPage()
    await second.goto(address)
    await newMessage(second).fill('written in the second tab')
    await newMessage(first).fill('written in the first tab')
    await newMessage(second).fill('written in the second tab, and continued')
    await expect.poll(() => second.evaluate(() => JSON.stringify(localStorage))).toContain('and continued')
    await second.close({ runBeforeUnload: true })
    await first.reload()
    await expect
      .poll(async () => (await newMessage(first).inputValue()).split('\n').toSorted())
      .toEqual(['written in the first tab', 'written in the second tab, and continued'])
  })

  test('do not contain what was sent, even if the room is left before that is stored', async () => {
    const { server, owner, channel, room, at } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await newMessage(page).waitFor()
    const release = await holdOutbox(page)
    await newMessage(page).fill('a whole thought')
    await newMessage(page).press('Enter')
    await row(page, 'a whole thought').waitFor()
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await roomLink(page, 'workshop').click()
    await row(page, 'a whole thought').waitFor()
    await newMessage(page).waitFor()
    expect(await newMessage(page).inputValue()).toBe('')

    await newMessage(page).fill('half a thought')
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await release()
    await roomLink(page, 'workshop text room, draft').click()
    await sent(page, 'a whole thought').waitFor()
    expect(await newMessage(page).inputValue()).toBe('half a thought')
    await newMessage(page).fill('')
    await roomLink(page, 'draft').waitFor({ state: 'detached' })
  })

  test('contain what was sent again if the page is closed before that is stored', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await newMessage(page).waitFor()
    await holdOutbox(page)
    await newMessage(page).fill('a whole thought')
    await newMessage(page).press('Enter')
    await row(page, 'a whole thought').waitFor()
    await newMessage(page).fill('half a thought')
    await page.reload()
    await expect.poll(() => newMessage(page).inputValue()).toBe('a whole thought\nhalf a thought')
  })

  test('are marked if they are only files', async () => {
    const { server, owner, channel, room, at } = await channelFixture()
    expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await choose(page, [textFile('plan.txt')])
    await entry(page, 'plan.txt').waitFor()
    await roomLink(page, 'plans').click()
    await roomLink(page, 'workshop text room, draft').waitFor()
    await page.reload()
    await roomLink(page, 'workshop text room, draft').click()
    await entry(page, 'plan.txt').getByRole('button', { name: 'Remove plan.txt' }).click()
    await roomLink(page, 'plans').click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await roomLink(page, 'draft').waitFor({ state: 'detached' })
  })
})

/**
 * Occupies the database in which the browser stores unsent messages: whatever the page wants to store there waits. Returns
 * a function that ends this.
 */
async function holdOutbox(page: Page): Promise<() => Promise<void>> {
  const name = 'portico.outbox'
  // Created by the page, with its stores, once it can send.
  const isThere = async (wanted: string) => (await indexedDB.databases()).some((known) => known.name === wanted)
  await expect.poll(() => page.evaluate(isThere, name)).toBe(true)
  await page.evaluate(async (wanted) => {
    const opening = indexedDB.open(wanted)
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const messages = opening.result.transaction('messages', 'readwrite').objectStore('messages')
    await new Promise((resolve) => {
      // A transaction lasts as long as it has requests.
      const ask = (): void => {
        if ('releaseOutbox' in globalThis) return opening.result.close()
        const asking = messages.count()
        for (const then of [resolve, ask]) asking.addEventListener('success', then)
      }
      ask()
    })
  }, name)
  return () => page.evaluate(() => void Object.assign(globalThis, { releaseOutbox: true }))
}

function isInView(message: Locator): Promise<boolean> {
  return message.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
}
