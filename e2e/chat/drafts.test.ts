import type { Room } from '@portico/contract'
import type { Locator, Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import type { Person } from '../../server/test/person.ts'
import { describeInBrowser } from '../browser.ts'
import { act, row, sent, signedIn } from './chat-visit.ts'
import { choose, entry, textFile } from './files-visit.ts'
import { newMessage } from '../portal-visit.ts'

async function say(person: Person, room: Room & { channelId: string }, text: string): Promise<void> {
  expectOk(await person.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
}

function roomLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name })
}

async function topOf(element: Locator): Promise<number> {
  return (await element.boundingBox())?.y ?? NaN
}

async function bottomOf(element: Locator): Promise<number> {
  const box = await element.boundingBox()
  return box ? box.y + box.height : NaN
}

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
    const toast = page.getByRole('status').filter({ hasText: 'Your text is in the message field.' })
    // The message is about the field, so it must not cover it.
    await expect.poll(() => bottomOf(toast)).toBeLessThanOrEqual(await topOf(newMessage(page)))
    await page.reload()
    await expect.poll(() => newMessage(page).inputValue()).toBe('half a thought\na much better text')
    await page.getByRole('textbox', { name: 'Edit message' }).waitFor({ state: 'detached' })
  })

  test('keep what is typed while a change is being saved', async () => {
    const { server, owner, channel, room } = await channelFixture()
    await say(owner, room, 'a typo')
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const saving = Promise.withResolvers<Route>()
    const answered = Promise.withResolvers<void>()
    await page.route('**/rooms/*/messages/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.continue()
      saving.resolve(route)
      return answered.promise.then(() => route.continue())
    })
    await act(page, 'a typo', 'Edit')
    const edited = page.getByRole('textbox', { name: 'Edit message' })
    await edited.fill('a text')
    await edited.press('Enter')
    await saving.promise
    await page.keyboard.type(', and more')
    answered.resolve()
    await page.getByRole('button', { name: 'Save', disabled: false }).waitFor()
    await expect.poll(() => edited.inputValue()).toBe('a text, and more')
    await page.keyboard.press('Escape')
    // Esc gives up only what was typed since.
    await sent(page, 'a text').waitFor()
    await act(page, 'a text', 'Edit')
    await expect.poll(() => edited.inputValue()).toBe('a text')
    await edited.fill('a better text')
    await edited.press('Enter')
    await edited.waitFor({ state: 'detached' })
    await sent(page, 'a better text').waitFor()
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
