import type { Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../server/test/channel-fixture.ts'
import type { Person } from '../server/test/person.ts'
import { describeInBrowser } from './browser.ts'
import { signedIn } from './chat-visit.ts'
import { focused, newMessage } from './portal-visit.ts'

async function say(person: Person, room: Room & { channelId: string }, text: string): Promise<void> {
  expectOk(await person.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
}

function roomLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name })
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
})
