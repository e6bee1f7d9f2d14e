import { randomUUID } from 'node:crypto'
import type { Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, row, signedIn } from './chat-visit.ts'
import { DESKTOP, newMessage } from '../portal-visit.ts'

/** The first load and what renders Markdown, gzipped: see `portal/tooling/check-budget.ts`. */
const MAX_SCRIPT_BYTES = 115_000

describeInBrowser('a room opened by its URL', ({ open }) => {
  test('loads everything in one request, and not again when the socket connects', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text: 'hello' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await row(page, 'hello').waitFor()

    const requested = requestsOf(page)
    // Data that isn’t in the event log is read again when the socket connects. After that no request is pending.
    const resumed = page.waitForResponse('**/portal/v1/read-states')
    await page.reload()
    await row(page, 'hello').waitFor()
    await newMessage(page).waitFor()
    await page.getByRole('complementary', { name: 'Members' }).getByText(owner.name).waitFor()
    await resumed
    const parts = new Set(['/session', '/instance'])
    for (const part of ['rooms', 'roles/colors']) parts.add(`/channels/${channelId}/${part}`)
    for (const part of ['history', 'permissions']) parts.add(`/rooms/${room.id}/${part}`)
    expect(requested.filter((path) => path === '/room-page')).toHaveLength(1)
    expect(requested.filter((path) => parts.has(path))).toEqual([])
  })

  test('misses no event between the response and the socket', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const say = async (text: string): Promise<void> => {
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await say('before')
    const page = await open(`${server.url}/explore`, signedIn(server.url, owner))
    await page.getByRole('navigation', { name: 'Channels' }).waitFor()
    await page.route('**/portal/v1/room-page?*', async (route) => {
      const response = await route.fetch()
      await say('meanwhile')
      await route.fulfill({ response })
    })
    await page.goto(`${server.url}/c/${room.channelId}/${room.id}`)
    await row(page, 'meanwhile').waitFor()
    await row(page, 'before').waitFor()
    await say('after')
    await row(page, 'after').waitFor()
    await expect.poll(() => page.getByRole('article').count()).toBe(3)
  })
})

describeInBrowser('the start page', ({ open }) => {
  test('shows the last room after one request to the API and only the scripts that a room needs', async () => {
    const { server, owner, at, room } = await channelFixture()
    const { channelId } = room
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`${at}/rooms`))
    for (const { id } of rooms) if (id !== room.id) expectOk(await owner.delete(`${at}/rooms/${id}`))
    const other = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'other', type: 'text' }))
    for (const { id } of [room, other]) {
      expectOk(await owner.post(`/rooms/${id}/messages`, { channelId, text: `**hello** from ${id}` }))
    }
    const page = await open(`${server.url}/explore`, signedIn(server.url, owner))
    await page.getByRole('navigation', { name: 'Channels' }).waitFor()
    await noteFirstMessage(page)

    const requested = requestsOf(page)
    const start = async ({ id }: { id: string }): Promise<void> => {
      requested.length = 0
      await page.goto(server.url)
      await row(page, `hello from ${id}`).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/c/${channelId}/${id}`)
      const { api, scriptBytes } = await loadedBeforeFirstMessage(page)
      expect(api).toEqual(['/portal/v1/room-page'])
      expect(scriptBytes).toBeLessThan(MAX_SCRIPT_BYTES)
    }
    // Nothing is remembered yet.
    await start(room)
    await page.getByRole('link', { name: 'other' }).click()
    await row(page, `hello from ${other.id}`).waitFor()
    await start(other)
    expect(requested.filter((path) => path === '/room-page')).toHaveLength(1)
  })

  test('shows a room even if the last one is gone or the response is late', async () => {
    const { server, owner, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'hello' }))
    const page = await openRoom(open, { url: server.url, room }, owner)
    await page.evaluate((gone) => localStorage.setItem('portico.channel', JSON.stringify(gone)), randomUUID())
    await page.goto(server.url)
    await row(page, 'hello').waitFor()

    await page.route('**/portal/v1/room-page?*', async (route) => {
      await page.getByRole('status', { name: 'Loading' }).waitFor()
      await route.continue()
    })
    await page.goto(server.url)
    await row(page, 'hello').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/c/${room.channelId}/${room.id}`)
  })
})

/**
 * The page records when its first message appears. Three seconds after the response it would load the rest anyway, which a
 * busy machine may reach before the message: that deadline is further off.
 */
async function noteFirstMessage(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = globalThis.setTimeout
    const startLater = (run: () => void, delay?: number, ...more: unknown[]): unknown =>
      start(run, delay === 3000 ? 120_000 : delay, ...more)
    Object.assign(globalThis, { setTimeout: startLater })
    const look = new MutationObserver(() => {
      if (!document.querySelector('article')) return
      performance.mark('first-message')
      look.disconnect()
    })
    look.observe(document, { subtree: true, childList: true })
  })
}

/** What was requested before the first message was there: paths of the API, and the size of all scripts as they are sent. */
function loadedBeforeFirstMessage(page: Page): Promise<{ api: string[]; scriptBytes: number }> {
  return page.evaluate(() => {
    const [shown] = performance.getEntriesByName('first-message')
    const loaded = performance
      .getEntriesByType('resource')
      .filter((entry) => entry instanceof PerformanceResourceTiming)
      .filter(({ startTime }) => startTime < (shown?.startTime ?? 0))
    const paths = loaded.map(({ name }) => new URL(name).pathname)
    const scripts = loaded.filter(({ name }) => name.endsWith('.js'))
    return {
      api: paths.filter((path) => path.startsWith('/portal/v1/')),
      scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    }
  })
}

/** The paths in the portal API that the page requests from now on. */
function requestsOf(page: Page): string[] {
  const requested: string[] = []
  page.on('request', (request) => {
    const [, path] = /\/portal\/v1(\/[^?]*)/.exec(request.url()) ?? []
    if (path !== undefined) requested.push(path)
  })
  return requested
}
