import type { OwnChannel, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { newPerson } from '../../server/test/new-person.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, newMessage, PHONE } from '../portal-visit.ts'

/** The distance between the middle of the field and that of its button, in pixels. */
async function misalignment(page: Page): Promise<number> {
  const field = await newMessage(page).boundingBox()
  const button = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox()
  if (!field || !button) throw new Error('there is no composer')
  return Math.abs(field.y + field.height / 2 - (button.y + button.height / 2))
}

describeInBrowser('a phone', ({ open }) => {
  test('marks the menu button while other rooms have unread messages or mentions', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const [ada] = people
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const tell = async (roomId: string, text: string) =>
      expectOk(await owner.post(`/rooms/${roomId}/messages`, { channelId: channel.id, text }))
    const page = await openRoom(open, { url: server.url, room }, ada, { viewport: PHONE })
    const menu = page.getByRole('banner').or(page.getByRole('main')).getByRole('button', { name: 'Open menu' })
    await page.getByRole('button', { name: 'Open menu', exact: true }).waitFor()

    // The open room shows what is new itself.
    await tell(room.id, 'here')
    await page.getByRole('article').filter({ hasText: 'here' }).waitFor()
    await tell(plans.id, 'elsewhere')
    await page.getByRole('button', { name: 'Open menu unread', exact: true }).waitFor()
    await tell(plans.id, `<@${ada.id}>, look`)
    await page.getByRole('button', { name: 'Open menu 1 mention', exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])
    await menu.click()
    await page.getByRole('link', { name: /^plans/ }).click()
    await page.getByRole('article').filter({ hasText: 'look' }).waitFor()
    await page.getByRole('button', { name: 'Open menu', exact: true }).waitFor()
  })

  test('keeps the composer aligned when the window becomes wide and narrow again', async () => {
    const { server, owner, room } = await channelFixture()
    const page = await openRoom(open, { url: server.url, room }, owner, { viewport: PHONE })
    await newMessage(page).waitFor()
    await expect.poll(() => misalignment(page)).toBeLessThan(2)
    await page.setViewportSize(DESKTOP)
    await expect.poll(() => misalignment(page)).toBeLessThan(2)
    await page.setViewportSize(PHONE)
    await expect.poll(() => misalignment(page)).toBeLessThan(2)
  })
})

describeInBrowser('forced colors', ({ open }) => {
  test('show progress', async () => {
    const { server } = await channelFixture()
    const owner = await newPerson(server)
    const channel = expectOk(await owner.post<OwnChannel>('/channels', { name: 'Observers' }))
    const page = await open(`${server.url}/c/${channel.id}`, {
      ...signedIn(server.url, owner),
      viewport: DESKTOP,
      forcedColors: 'active',
    })
    const progress = page.getByRole('progressbar', { name: 'Set up this channel' })
    await progress.waitFor()
    const { border, kept } = await progress.evaluate((bar) => {
      const { borderTopStyle: border, forcedColorAdjust: kept } = getComputedStyle(bar) as CSSStyleDeclaration & {
        forcedColorAdjust: string
      }
      return { border, kept }
    })
    expect([border, kept]).toEqual(['solid', 'none'])
  })

  test('show the current room and channel, and what is unread', async () => {
    const { server, owner, people, at, channel, room } = await channelFixture({ people: 1 })
    const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const page = await openRoom(open, { url: server.url, room }, owner, {
      viewport: DESKTOP,
      forcedColors: 'active',
    })
    expectOk(await people[0].post(`/rooms/${plans.id}/messages`, { channelId: channel.id, text: 'new' }))
    await page.getByRole('link', { name: /^plans.*unread/ }).waitFor()
    const seen = await page.evaluate(() => {
      const colors = (selector: string, pseudo?: string) => {
        const element = document.querySelector(selector)
        if (!element) throw new Error(`there is no ${selector}`)
        return getComputedStyle(element, pseudo)
      }
      const unread = [...document.querySelectorAll('a')].find(({ title }) => title === 'plans')
      return {
        currentRoom: colors('a[aria-current="page"]').outlineStyle,
        channel: colors('nav a[aria-current="true"]', '::before').backgroundColor,
        unread: unread && getComputedStyle(unread, '::before').backgroundColor,
      }
    })
    expect(seen.currentRoom).toBe('solid')
    const ground = ['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)', 'rgb(0, 0, 0, 0)']
    for (const mark of [seen.channel, seen.unread]) expect(ground).not.toContain(mark)
  })
})
