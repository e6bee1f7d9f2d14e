import type { RoomType } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk, type ChannelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { act, openRoom, row, signedIn } from './chat-visit.ts'
import { DESKTOP, MEMBERSHIP_ENDED, newMessage, PHONE } from '../portal-visit.ts'

const excuses = [MEMBERSHIP_ENDED]

/** A room with a message, and a bot whose commands are offered next to the field. */
async function livelyRoom(room: RoomType = 'text') {
  const fixture = await channelFixture({ people: 1, bots: 1, room })
  const { bots, owner, room: opened } = fixture
  expectOk(await bots[0].put('/commands', { commands: [{ name: '/deploy', description: 'Deploys' }] }))
  expectOk(await owner.post(`/rooms/${opened.id}/messages`, { channelId: opened.channelId, text: 'soon gone' }))
  return { ...fixture, place: { url: fixture.server.url, room: opened } }
}

type Lively = Pick<ChannelFixture<1, 1>, 'owner' | 'at' | 'room'>

const WAYS = {
  'is deleted': async ({ owner, at, room }: Lively) => expectOk(await owner.delete(`${at}/rooms/${room.id}`)),
  'becomes private': async ({ owner, at, room }: Lively) =>
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true })),
}
const ways = Object.keys(WAYS) as (keyof typeof WAYS)[]

/** The page says so, the rest of the portal works, and it leads to another room. */
async function leavesThePortal(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 2, name: 'Room not found' }).waitFor()
  await page.getByRole('link', { name: /^Back to/ }).click()
  await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
}

describeInBrowser('a room that disappears while it is open', ({ open }) => {
  test.for((['text', 'voice', 'stream'] as const).flatMap((type) => ways.map((way) => [type, way] as const)))(
    'leaves the portal alive: a %s room that %s',
    async ([type, way]) => {
      const lively = await livelyRoom(type)
      const page = await open(`${lively.server.url}/c/${lively.channel.id}/${lively.room.id}`, {
        ...signedIn(lively.server.url, lively.people[0]),
        excuses,
      })
      await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
      if (type === 'text') await page.getByRole('button', { name: 'Commands' }).waitFor()
      await WAYS[way](lively)
      await leavesThePortal(page)
    },
  )

  test('leads the person who deletes it to another room', async () => {
    const lively = await livelyRoom()
    const page = await openRoom(open, lively.place, lively.owner, { excuses, viewport: DESKTOP })
    await page.getByRole('button', { name: 'Commands' }).waitFor()
    await page.getByRole('link', { name: /^workshop/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Edit room' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete room' }).click()
    await page
      .getByRole('dialog')
      .last()
      .getByRole('button', { name: /^Delete/ })
      .last()
      .click()
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test.for(['Members', 'Pinned messages', 'Search'])('leaves the portal alive with this panel: %s', async (panel) => {
    const lively = await livelyRoom()
    const page = await openRoom(open, lively.place, lively.people[0], {
      excuses,
      viewport: { width: 1000, height: 800 },
    })
    await page.getByRole('main').getByRole('button', { name: panel, exact: true }).click()
    await page.getByRole('complementary', { name: panel }).waitFor()
    await WAYS['is deleted'](lively)
    await leavesThePortal(page)
  })

  test('closes the dialog in which it is edited', async () => {
    const lively = await livelyRoom()
    await lively.give(lively.people[0], 'CHANNEL_ADMIN')
    const page = await openRoom(open, lively.place, lively.people[0], { excuses, viewport: DESKTOP })
    await page.getByRole('link', { name: /^workshop/ }).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Edit room' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('half a name')
    await WAYS['is deleted'](lively)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await leavesThePortal(page)
  })

  test('closes the menu of a message, and leaves a phone alive', async () => {
    const lively = await livelyRoom()
    const page = await openRoom(open, lively.place, lively.people[0], { excuses, viewport: PHONE })
    await row(page, 'soon gone').click({ button: 'right' })
    await page.getByRole('menu').waitFor()
    await WAYS['is deleted'](lively)
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await leavesThePortal(page)
  })
  test('shows what was being written there, until that is discarded', async () => {
    const lively = await livelyRoom()
    const { people, place, server, channel, room } = lively
    const say = { channelId: channel.id, text: 'a typo' }
    expectOk(await people[0].post(`/rooms/${room.id}/messages`, say))
    const page = await openRoom(open, place, people[0], { excuses, viewport: DESKTOP })
    await newMessage(page).fill('half a thought')
    await act(page, 'a typo', 'Edit')
    await page.getByRole('textbox', { name: 'Edit message' }).fill('a much better text')
    await WAYS['is deleted'](lively)
    const left = page.getByRole('region', { name: 'You were writing here' })
    await left.getByText('a much better text\nhalf a thought').waitFor()
    await page.reload()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    await left.getByRole('button', { name: 'Copy what you were writing' }).click()
    await left.getByText('Copied', { exact: true }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('a much better text\nhalf a thought')
    await left.getByRole('button', { name: 'Discard' }).click()
    await left.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { level: 2, name: 'Room not found' }).waitFor()
    await left.waitFor({ state: 'detached' })
  })
})
