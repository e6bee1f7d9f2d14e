import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../server/test/channel-fixture.ts'
import { describeInBrowser } from './browser.ts'
import { openRoom, row, signedIn } from './chat-visit.ts'
import { DESKTOP, newMessage } from './portal-visit.ts'

describeInBrowser('a room opened by its URL', ({ open }) => {
  test('loads everything in one request, and not again when the socket connects', async () => {
    const { server, owner, room } = await channelFixture()
    const { channelId } = room
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text: 'hello' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: DESKTOP })
    await row(page, 'hello').waitFor()

    const asked = askedBy(page)
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
    expect(asked.filter((path) => path === '/opening')).toHaveLength(1)
    expect(asked.filter((path) => parts.has(path))).toEqual([])
  })

  test('misses no event between the response and the socket', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const say = async (text: string): Promise<void> => {
      expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    }
    await say('before')
    const page = await open(`${server.url}/explore`, signedIn(server.url, owner))
    await page.getByRole('navigation', { name: 'Channels' }).waitFor()
    await page.route('**/portal/v1/opening?*', async (route) => {
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

/** The paths in the portal API that the page requests from now on. */
function askedBy(page: Page): string[] {
  const asked: string[] = []
  page.on('request', (request) => {
    const [, path] = /\/portal\/v1(\/[^?]*)/.exec(request.url()) ?? []
    if (path !== undefined) asked.push(path)
  })
  return asked
}
