import type { Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { channelFixture, expectOk, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, say, sent } from './chat-visit.ts'
import { describeWithMedia } from '../voice/media-under-test.ts'
import { DESKTOP } from '../portal-visit.ts'
import { isConnected, join, twoAt } from '../voice/voice-visit.ts'

const FAILED = /TypeError|RangeError/
const MEMBERS = /\/members\/by-name/

/** What the portal's log says about pages. */
function reportsOf({ server }: Pick<ChannelFixture<0, 0>, 'server'>): () => unknown[] {
  const warned = vi.spyOn(server.services.log, 'warn')
  onTestFinished(() => warned.mockRestore())
  return () => warned.mock.calls.flatMap(([first]: unknown[]) => (isReport(first) ? [first.defect] : []))
}

function isReport(logged: unknown): logged is { defect: unknown } {
  return typeof logged === 'object' && logged !== null && 'defect' in logged
}

const REPORT = {
  place: 'page',
  name: expect.stringMatching(FAILED),
  stack: expect.arrayContaining([expect.any(String)]),
}

const tryAgain = (page: Page) => page.getByRole('button', { name: 'Try again' })

describeInBrowser('a defect', ({ open }) => {
  test('in a panel leaves the conversation alone, is reported, and is repaired by trying again', async () => {
    const fixture = await channelFixture({ people: 1 })
    const { server, owner, room } = fixture
    const reports = reportsOf(fixture)
    const visit = { viewport: { width: 1000, height: 800 }, provokes: [FAILED] }
    const page = await openRoom(open, { url: server.url, room }, owner, visit)
    await page.route(MEMBERS, (route) => route.fulfill({ json: { members: [null], roles: [], online: 1, total: 1 } }))
    await page.getByRole('button', { name: 'Members' }).click()
    const panel = page.getByRole('complementary', { name: 'Members' })
    await panel.getByRole('alert').waitFor()

    await say(page, 'still here')
    await sent(page, 'still here').waitFor()
    await expect.poll(reports).toContainEqual(REPORT)
    expect(JSON.stringify(reports())).not.toContain(owner.name)

    await page.unroute(MEMBERS)
    await tryAgain(page).click()
    await panel.getByRole('button', { name: owner.name }).waitFor()
  })

  test('in a dialog leaves the page alone, and the dialog can be tried again or closed', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'hello' }))
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [FAILED] })
    await say(page, 'half a thought')
    const card = new RegExp(`/members/${people[0].id}$`)
    await page.route(card, (route) => route.fulfill({ json: { id: people[0].id, name: 'Someone', roles: [] } }))
    await sent(page, 'hello').getByRole('button', { name: people[0].name }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Something went wrong' })
    await dialog.waitFor()
    await page.unroute(card)
    await tryAgain(page).click()
    await page.getByRole('dialog', { name: people[0].name }).getByText('Joined').waitFor()
    await page.keyboard.press('Escape')
    await sent(page, 'half a thought').waitFor()
  })

  test('in a room leaves the sidebar alone, and another room opens', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [FAILED], viewport: DESKTOP })
    const history = /\/rooms\/[^/]+\/history/
    const broken = { id: room.id, text: 'broken', createdAt: '', author: { id: owner.id, name: 'x' }, mentions: null }
    const answer = { messages: [broken], hasOlder: false, hasNewer: false, readUpTo: room.id }
    await page.route(history, (route) => route.fulfill({ json: answer }))
    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: /^general/ }).click()
    await page.getByRole('main').getByRole('alert').waitFor()
    await page.unroute(history)
    await rooms.getByRole('link', { name: /^workshop/ }).click()
    await say(page, 'from another room')
    await sent(page, 'from another room').waitFor()

    await rooms.getByRole('link', { name: /^general/ }).click()
    await tryAgain(page).click()
    await say(page, 'from the repaired room')
    await sent(page, 'from the repaired room').waitFor()
  })

  test('of an event handler is reported without what it says', async () => {
    const fixture = await channelFixture()
    const { server, owner, room } = fixture
    const reports = reportsOf(fixture)
    const page = await openRoom(open, { url: server.url, room }, owner, { provokes: [/my secret/] })
    await expect
      .poll(async () => {
        await page.evaluate(() =>
          setTimeout(() => {
            throw new TypeError('my secret')
          }),
        )
        return reports()
      })
      .toContainEqual({ place: 'handler', name: 'TypeError', stack: [] })
    expect(JSON.stringify(reports())).not.toContain('my secret')
    expect(reports()).toHaveLength(1)
  })
})

describeWithMedia('a defect during a call', (visitor) => {
  test('in the room or a panel leaves the call alone', async () => {
    const { his, hers, owner } = await twoAt(visitor, 'voice', { provokes: [FAILED] })
    await join(his, hers)
    for (const page of [his, hers]) {
      await page.route(/\/permissions/, (route) => route.fulfill({ json: { rights: 5, roleIds: [] } }))
      await page
        .getByRole('navigation', { name: 'Rooms' })
        .getByRole('link', { name: /^general/ })
        .click()
      await page.getByRole('main').getByRole('alert').waitFor()
      await page.unroute(/\/permissions/)
    }
    await isConnected(his)
    await isConnected(hers)
    await his.getByRole('region', { name: 'Voice', exact: true }).getByRole('link').click()
    await his.getByRole('main').getByRole('listitem').filter({ hasText: owner.name }).waitFor()
    await isConnected(his)
  })
})
