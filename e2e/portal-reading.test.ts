import type { Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { done, world } from '../server/test/world.ts'
import type { Person } from '../server/test/person.ts'
import { describeInBrowser } from './browser.ts'
import { focused, newMessage, signedOut, signIn } from './portal-visit.ts'

async function say(person: Person, room: Room & { channelId: string }, text: string): Promise<void> {
  done(await person.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
}

function roomLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name })
}

describeInBrowser('what is unread', ({ open }) => {
  test('stands out, mentions are counted, and both windows of a person agree', async () => {
    const { server, owner, people, channel, room, at } = await world({ people: 1 })
    const plans = done(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const inPlans = { ...plans, channelId: channel.id }
    const other = done(await owner.post<{ id: string }>('/channels', { name: 'Elsewhere' }))
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, owner)
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

  test('of a muted room calls nobody, and a menu by keyboard mutes and marks as read', async () => {
    const { server, owner, people, channel, room, at } = await world({ people: 1 })
    const plans = done(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, owner)
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
    await menu.waitFor()
    await page.keyboard.press('Enter')
    await roomLink(page, 'plans text room, muted').waitFor()
    await say(people[0], { ...plans, channelId: channel.id }, 'again')
    await say(people[0], { ...room }, 'here as well')
    await page.getByRole('article').getByText('here as well').waitFor()
    expect(await roomLink(page, 'plans text room, muted').count()).toBe(1)
    expect(await roomLink(page, 'unread').count()).toBe(0)
  })

  test('is notified of when allowed, unless one is looking', async () => {
    const { server, owner, people, channel, room, at } = await world({ people: 1 })
    const plans = done(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(server.url, { ...signedOut, permissions: ['notifications'] })
    await page.addInitScript(() => {
      const shown: string[] = []
      Object.assign(globalThis, {
        shown,
        Notification: class extends EventTarget {
          static permission = 'granted'
          constructor(title: string, { body }: { body: string }) {
            super()
            shown.push(`${title}: ${body}`)
          }
        },
      })
    })
    await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
    await signIn(page, owner)
    await roomLink(page, 'plans').waitFor()
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByRole('switch', { name: 'Notify me of mentions' }).check()
    await page.keyboard.press('Escape')

    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
    const name = people[0].name
    await say(people[0], room, `before your eyes <@${owner.id}>`)
    await page.getByRole('article').getByText('before your eyes').waitFor()
    await say(people[0], { ...plans, channelId: channel.id }, `behind your back <@${owner.id}>`)
    await page.waitForFunction(() => (globalThis as unknown as { shown: string[] }).shown.length > 0)
    expect(await shown()).toEqual([`${name} mentioned you · #plans · Ateliers: behind your back @${owner.name}`])
  })
})
