import { setTimeout as sleep } from 'node:timers/promises'
import type { NotificationSettings, PlaceNotifications, Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'

function roomLink(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name, exact: true })
}

async function chooseInMenu(page: Page, link: Locator, item: string): Promise<void> {
  await link.click({ button: 'right' })
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

describeInBrowser('notification levels', ({ open }) => {
  test('of a room are chosen in its menu, with a mute that ends', async () => {
    const { server, owner, channel, room, at } = await channelFixture()
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    const saved = async () => expectOk(await owner.get<PlaceNotifications>(`/rooms/${plans.id}/notifications`))

    await chooseInMenu(page, roomLink(page, 'plans text room'), 'Notifications…')
    const dialog = page.getByRole('dialog', { name: 'Notifications: plans' })
    await dialog.getByLabel('Notify me about').selectOption('All messages')
    await dialog.getByRole('combobox', { name: 'Mute' }).selectOption('For 1 hour')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await roomLink(page, 'plans text room, muted').waitFor()
    expect(await saved()).toMatchObject({ level: 'all', muted: true, mutedUntil: expect.any(String) })

    await chooseInMenu(page, roomLink(page, 'plans text room, muted'), 'Notifications…')
    await dialog.getByLabel('Notify me about').selectOption('Same as the channel')
    await dialog.getByText('Now: mentions and replies.').waitFor()
    const mute = dialog.getByRole('combobox', { name: 'Mute' }).locator('option:checked')
    expect(await mute.textContent()).toMatch(/^Muted until (?:\d+ \w+ at )?\d\d:\d\d$/)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await saved()).toMatchObject({ level: null, muted: true, mutedUntil: expect.any(String) })
  })

  test('of a channel are chosen in its menu, and a mute applies to all its rooms', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedIn(server.url, owner))
    await roomLink(page, 'workshop text room').waitFor()
    await page.getByRole('button', { name: 'Ateliers menu' }).click()
    await page.getByRole('menuitem', { name: 'Notifications…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Notifications: Ateliers' })
    await dialog.getByLabel('Notify me about').selectOption('Nothing')
    await dialog.getByRole('combobox', { name: 'Mute' }).selectOption('Until I unmute it')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await roomLink(page, 'workshop text room, muted').waitFor()
    expect(expectOk(await owner.get(`/channels/${channel.id}/notifications`))).toMatchObject({
      level: 'nothing',
      muted: true,
      mutedUntil: null,
    })

    await roomLink(page, 'workshop text room, muted').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Notifications…' }).waitFor()
    await expect.poll(() => page.getByRole('menuitem', { name: 'Unmute' }).count()).toBe(0)
    await page.getByRole('menuitem', { name: 'Notifications…' }).click()
    await page.getByText('The whole channel is muted.').waitFor()
  })
})

describeInBrowser('notification settings', ({ open }) => {
  test('turn the sound off and set do-not-disturb hours, in all windows', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(`${server.url}/settings/notifications`, signedIn(server.url, owner))
    const other = await page.context().newPage()
    await other.goto(`${server.url}/settings/notifications`)
    const saved = async () => expectOk(await owner.get<NotificationSettings>('/notification-settings'))
    await other.getByRole('switch', { name: 'Do not disturb' }).waitFor()

    await page.getByRole('switch', { name: 'Sound' }).click()
    await expect.poll(async () => (await saved()).sound).toBe(false)
    await page.getByRole('switch', { name: 'Do not disturb' }).click()
    await page.getByLabel('From').fill('21:30')
    await page.getByLabel('From').blur()
    await expect.poll(async () => (await saved()).doNotDisturb).toMatchObject({ from: '21:30', until: '08:00' })
    await expect.poll(() => other.getByLabel('From').inputValue()).toBe('21:30')

    await page.getByRole('switch', { name: 'Do not disturb' }).click()
    await page.getByLabel('From').waitFor({ state: 'detached' })
    await expect.poll(async () => (await saved()).doNotDisturb).toBe(null)
  })

  test('keep the last change if the first one is still being saved', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(`${server.url}/settings/notifications`, signedIn(server.url, owner))
    const saved = async () => expectOk(await owner.get<NotificationSettings>('/notification-settings'))
    let answered = 0
    const overtaken = Promise.withResolvers<void>()
    await page.route('**/portal/v1/notification-settings', async (route, request) => {
      if (request.method() === 'GET') return route.fallback()
      const isFirst = request.postDataJSON().doNotDisturb.from === '22:00'
      // Long enough for a request that doesn't wait for this one.
      if (isFirst) await Promise.race([overtaken.promise, sleep(1000)])
      await route.fulfill({ response: await route.fetch() })
      if (!isFirst) overtaken.resolve()
      answered += 1
    })

    await page.getByRole('switch', { name: 'Do not disturb' }).click()
    await page.getByLabel('From').fill('21:30')
    await expect.poll(() => answered).toBe(2)
    expect((await saved()).doNotDisturb).toMatchObject({ from: '21:30', until: '08:00' })
    expect(await page.getByLabel('From').inputValue()).toBe('21:30')
  })
})
