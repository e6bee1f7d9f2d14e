import type { Message, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { idAt } from '../../server/src/command-line/demo/id-at.ts'
import { newId } from '../../server/src/operations/ids.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { field, noteTinted, openRoom, row, say, signedIn, wasTinted } from './chat-visit.ts'
import { focused, tabTo } from '../portal-visit.ts'

type World = Awaited<ReturnType<typeof channelFixture>>

describeInBrowser('message history', ({ open }) => {
  test('scrolls through 10,000 messages without gaps or jumps', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    await fill(here, 10_000)
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, /^.*message 9999\b/s).waitFor()

    const seen = new Set<number>()
    await scrollUntil(page, -1, seen, 9_300)
    expect([...seen].toSorted((a, b) => a - b)).toEqual(range(Math.min(...seen), 9_999))
    expect(Math.min(...seen)).toBeLessThanOrEqual(9_300)
    await expect.poll(() => page.getByRole('article').count()).toBeLessThan(120)

    const back = new Set<number>()
    await scrollUntil(page, 1, back, 9_999)
    expect([...back].toSorted((a, b) => a - b)).toEqual(range(Math.min(...back), 9_999))
    // The page may contain rows below the visible ones.
    await page.mouse.wheel(0, 2000)
    await page.getByRole('button', { name: 'Jump to present' }).waitFor({ state: 'detached' })
  })

  test('loads by itself after errors of the server, too many requests and a connection that is reset', async () => {
    const { server, owner, at, room } = await channelFixture()
    const { channelId } = room
    const page = await open(server.url, {
      ...signedIn(server.url, owner),
      provokes: [/status of 500/, /status of 429/, /ERR_CONNECTION_RESET/],
    })
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    for (const refusal of [{ status: 500 }, { status: 429, retryAfterSec: 1 }, { status: 0 }]) {
      const name = `after ${refusal.status}`
      const { id } = expectOk(await owner.post<Room>(`${at}/rooms`, { name, type: 'text' }))
      expectOk(await owner.post(`/rooms/${id}/messages`, { channelId, text: `worth the wait ${name}` }))
      const json = { ...refusal, status: 'error', error: 'Failed', message: 'Failed' }
      await page.route(
        /\/rooms\/[^/]+\/history/,
        (route) => (refusal.status ? route.fulfill({ status: refusal.status, json }) : route.abort('connectionreset')),
        { times: 2 },
      )
      await page.getByRole('link', { name }).click()
      await row(page, `worth the wait ${name}`).waitFor()
      await expect.poll(() => page.getByText('offline').count()).toBe(0)
    }
  })

  test('keeps its position while older messages load and others write', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    await fill(here, 400)
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, /message 399\b/).waitFor()
    await quietly(page)
    await page.getByRole('region', { name: 'Messages' }).hover()
    await page.mouse.wheel(0, -2500)
    await page.getByRole('button', { name: 'Jump to present' }).waitFor()
    await page.waitForFunction(() => document.querySelector('[aria-busy="false"]') !== null)
    await quietly(page)

    const before = await placesOf(page)
    for (let index = 0; index < 5; index += 1) {
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: `late ${index}` }))
    }
    await page.getByRole('button', { name: '5 new messages' }).waitFor()
    await expectPlaces(page, before)

    await page.getByRole('button', { name: '5 new messages' }).click()
    await row(page, 'late 4').waitFor()
  })

  test('keeps its position when a message above is deleted, and follows at the end', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    const ids = await fill(here, 120)
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, /message 119\b/).waitFor()
    await quietly(page)
    await page.getByRole('region', { name: 'Messages' }).hover()
    await page.mouse.wheel(0, -1500)
    await page.getByRole('button', { name: 'Jump to present' }).waitFor()
    await quietly(page)
    const before = await placesOf(page)
    const [first] = Object.keys(before)
    const above = Number(first?.match(/\d+/)?.[0]) - 4
    await row(page, new RegExp(`message ${above}\\b`)).waitFor({ state: 'attached' })
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${ids[above]}`, { channelId: room.channelId }))
    await row(page, new RegExp(`message ${above}\\b`)).waitFor({ state: 'detached' })
    await quietly(page)
    await expectPlaces(page, before)

    await say(page, 'from below')
    await row(page, 'from below').waitFor()
    await page.getByRole('button', { name: 'Jump to present' }).waitFor({ state: 'detached' })
  })

  test('opens around a linked message, which is highlighted and reached with Tab, also with back and forward', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    const ids = await fill(here, 300)
    const page = await openRoom(open, { url: server.url, room }, owner, { messageId: ids[40] ?? '' })
    await row(page, /message 44\b/).waitFor()
    await expect.poll(() => row(page, /message 299\b/).count()).toBe(0)

    await page.getByRole('button', { name: 'Jump to present' }).click()
    await row(page, /message 299\b/).waitFor()
    await page.getByRole('link', { name: /^general/ }).click()
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    await page.goBack()
    await row(page, /message 40\b/).waitFor()
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()

    await noteTinted(page)
    for (const number of [40, 297]) {
      await page.goto(`${server.url}/c/${room.channelId}/${room.id}/${ids[number]}`)
      const message = row(page, new RegExp(`message ${number}\\b`))
      await message.waitFor()
      await quietly(page)
      await wasTinted(page, `message ${number}`)
      expect(Object.keys(await placesOf(page))).toContain(`message ${number}`)
      await page.locator('[data-landmark="composer"]').waitFor()
      await message.and(page.locator('[tabindex="0"]')).waitFor()
      await expect.poll(() => page.getByRole('article').and(page.locator('[tabindex="0"]')).count()).toBe(1)
      await tabTo(page, message)
    }
  })

  test('says when a linked message no longer exists', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    await fill(here, 3)
    const page = await openRoom(open, { url: server.url, room }, owner, {
      messageId: newId(),
      provokes: [/status of 422/],
    })
    await page.getByText('This message no longer exists.').waitFor()
    await row(page, /message 2\b/).waitFor()
  })

  test('restores the scroll position, and moves the focus with Home and End', async () => {
    const here = await channelFixture()
    const { server, owner, room } = here
    await fill(here, 200)
    const page = await openRoom(open, { url: server.url, room }, owner)
    await row(page, /message 199\b/).waitFor()
    await quietly(page)
    await page.getByRole('region', { name: 'Messages' }).hover()
    await page.mouse.wheel(0, -1800)
    await page.getByRole('button', { name: 'Jump to present' }).waitFor()
    await quietly(page)
    const before = await placesOf(page)

    await page.getByRole('link', { name: /^general/ }).click()
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    await page.getByRole('link', { name: /^workshop/ }).click()
    await row(page, Object.keys(before)[3] ?? '').waitFor()
    await quietly(page)
    await expectPlaces(page, before)

    await page.getByRole('button', { name: 'Jump to present' }).click()
    await row(page, /message 199\b/).focus()
    const oldest = row(page, /message 0\b/)
    while ((await oldest.count()) === 0) {
      await page.keyboard.press('Home')
      await focused(page, page.getByRole('article'))
    }
    await page.keyboard.press('Home')
    await focused(page, oldest)
    await page.keyboard.press('ArrowDown')
    await focused(page, row(page, /message 1\b/))
    await page.keyboard.press('End')
    await focused(page, row(page, /message 199\b/))
  })

  test('opens at the first unread message, and marks seen messages as read', async () => {
    const here = await channelFixture({ people: 1 })
    const { server, owner, people, room } = here
    const [reader] = people
    await fill(here, 30)
    const { id } = expectOk(
      await owner.post<Message>(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'old news' }),
    )
    expectOk(await reader.put(`/rooms/${room.id}/read`, { messageId: id }))
    for (let index = 0; index < 30; index += 1) {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: `news ${index}` }))
    }
    const page = await openRoom(open, { url: server.url, room }, reader)
    await page.getByText('New', { exact: true }).waitFor()
    await row(page, 'news 0').waitFor()
    await page.waitForFunction(() => document.title.startsWith('•'))

    await field(page).focus()
    const marked = page.waitForResponse((response) => response.url().endsWith(`/rooms/${room.id}/read`))
    await page.keyboard.press('Escape')
    await row(page, 'news 29').waitFor()
    await page.waitForFunction(() => !document.title.startsWith('•'))
    await marked
    await page.reload()
    await row(page, 'news 29').waitFor()
    await expect.poll(() => page.getByText('New', { exact: true }).count()).toBe(0)
  })

  test('keeps a draft for each room', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner)
    await field(page).fill('not yet said')
    await page.getByRole('link', { name: /^general/ }).click()
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('')
    await page.reload()
    await page.getByRole('link', { name: /^workshop/ }).click()
    await page.getByRole('textbox', { name: 'Message #workshop' }).waitFor()
    await expect.poll(() => field(page).inputValue()).toBe('not yet said')
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Inserts one author’s messages over a day into the database: thousands of requests would take minutes. */
async function fill(
  { server, owner, room }: Pick<World, 'server' | 'owner' | 'room'>,
  count: number,
): Promise<string[]> {
  const begin = Date.now() - 86_400_000
  const rows = Array.from({ length: count }, (_, index) => {
    const moment = begin + index * 8000
    const words = index % 7 === 0 ? ` ${'and more words '.repeat(1 + (index % 11))}` : ''
    return { id: idAt(moment), text: `message ${index}${words}`, created_at: new Date(moment).toISOString() }
  })
  const { kysely } = server.services.database
  for (let from = 0; from < count; from += 1000) {
    await kysely
      .insertInto('messages')
      .values(
        rows.slice(from, from + 1000).map((values) => ({
          ...values,
          channel_id: room.channelId,
          room_id: room.id,
          author_id: owner.id,
        })),
      )
      .execute()
  }
  return rows.map(({ id }) => id)
}

async function numbersIn(page: Page): Promise<number[]> {
  const texts = await page.getByRole('article').allInnerTexts()
  return texts.map((text) => Number(/message (\d+)/.exec(text)?.[1]))
}

async function scrollUntil(page: Page, way: 1 | -1, seen: Set<number>, wanted: number): Promise<void> {
  const list = page.getByRole('region', { name: 'Messages' })
  await list.hover()
  for (let step = 0; step < 3000; step += 1) {
    for (const number of await numbersIn(page)) seen.add(number)
    if (way < 0 ? Math.min(...seen) <= wanted : Math.max(...seen) >= wanted) return
    // A slow machine may coalesce wheel events and never render what is in between.
    await list.evaluate(async (element, by) => {
      element.scrollBy(0, by)
      for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
    }, way * 500)
  }
  throw new Error(`${wanted} did not come into view; at ${way < 0 ? Math.min(...seen) : Math.max(...seen)}`)
}

/** Waits until nothing moves. */
async function quietly(page: Page): Promise<void> {
  let last = ''
  for (let same = 0; same < 4;) {
    await page.waitForTimeout(100)
    const now = JSON.stringify(await placesOf(page))
    same = now === last ? same + 1 : 0
    last = now
  }
}

/** Nothing has moved. Rows are placed at fractions of a pixel, so the outermost may or may not be visible. */
async function expectPlaces(page: Page, before: Readonly<Record<string, number>>): Promise<void> {
  const after = await placesOf(page)
  const inside = Object.entries(before).slice(1, -1)
  expect(inside.length).toBeGreaterThan(5)
  for (const [name, top] of inside) expect(Math.abs((after[name] ?? NaN) - top), name).toBeLessThan(1)
}

/** The visible rows and their positions. */
function placesOf(page: Page): Promise<Record<string, number>> {
  return page.evaluate(() => {
    const list = document.querySelector('[data-landmark="messages"]')
    const frame = list?.getBoundingClientRect() ?? { top: 0, bottom: 0 }
    const places: Record<string, number> = {}
    for (const row of list?.querySelectorAll('article') ?? []) {
      const { top, bottom } = row.getBoundingClientRect()
      const [name] = /message \d+/.exec(row.textContent ?? '') ?? []
      if (name && bottom > frame.top && top < frame.bottom) places[name] = top
    }
    return places
  })
}
