import type { Room } from '@portico/contract'
import type { Page, Worker } from 'playwright-core'
import { expect, test } from 'vitest'
import { done, world } from '../server/test/world.ts'
import { describeInBrowser } from './browser.ts'
import { openRoom, row, signedIn } from './chat-visit.ts'

/** What the browser has shown, which outlives the page. */
async function shownBy(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready
    const shown = await worker.getNotifications()
    return shown.map(({ title, body }) => `${title}: ${body}`)
  })
}

/**
 * Clicks the notification that is there. Without a desktop nothing can be clicked, and only a click lets a worker take a
 * window to the front or open one: what it wanted is told instead.
 */
async function click(worker: Worker): Promise<string[]> {
  return worker.evaluate(`(async () => {
    const wanted = []
    WindowClient.prototype.focus = async function () { wanted.push('focus ' + new URL(this.url).pathname) }
    Clients.prototype.openWindow = async (path) => { wanted.push('open ' + path) }
    const [notification] = await registration.getNotifications()
    let work
    const event = new Event('notificationclick')
    dispatchEvent(Object.assign(event, { notification, waitUntil: (promise) => { work = promise } }))
    await work
    return wanted
  })()`)
}

describeInBrowser('the portal on a device', ({ open }) => {
  test('can be installed, with icons of the sizes that it tells', async () => {
    const { server, owner } = await world()
    const page = await open(server.url, signedIn(server.url, owner))
    const devTools = await page.context().newCDPSession(page)
    const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors')
    // Every test is a visitor of its own, as in a private window, where nothing is installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
    const { url, errors, data = '' } = await devTools.send('Page.getAppManifest')
    expect(errors).toEqual([])

    const { icons } = JSON.parse(data) as { icons: { src: string; sizes: string; purpose?: string }[] }
    expect(icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
    for (const { src, sizes } of icons.filter((icon) => icon.sizes !== 'any')) {
      const size = await page.evaluate(async (address) => {
        const image = new Image()
        image.src = address
        await image.decode()
        return `${image.naturalWidth}x${image.naturalHeight}`
      }, new URL(src, url).href)
      expect(size, src).toBe(sizes)
    }
  })

  test('tells of mentions when allowed, unless one is looking, and a click leads to them', async () => {
    const { server, owner, people, channel, room, at } = await world({ people: 1 })
    const [ada] = people
    const plans = done(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
    const place = { url: server.url, room }
    const page = await openRoom(open, place, owner, { permissions: ['notifications'] })
    await page.getByRole('button', { name: owner.name }).first().click()
    const mentions = page.getByRole('switch', { name: 'Notify me of mentions' })
    await mentions.click()
    await expect.poll(() => mentions.isChecked()).toBe(true)
    await page.keyboard.press('Escape')
    const say = async (roomId: string, text: string) =>
      done(await ada.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: channel.id, text }))

    await say(room.id, `before your eyes <@${owner.id}>`)
    await row(page, 'before your eyes').waitFor()
    await say(plans.id, `behind your back <@${owner.id}>`)
    await expect
      .poll(() => shownBy(page))
      .toEqual([`${ada.name} mentioned you · #plans · Ateliers: behind your back @${owner.name}`])

    const [worker] = page.context().serviceWorkers()
    if (!worker) throw new Error('there is no worker')
    expect(await click(worker)).toEqual([`focus /c/${channel.id}/${room.id}`])
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await row(page, 'behind your back').waitFor()
    expect(await shownBy(page)).toEqual([])

    await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
    await row(page, 'before your eyes').waitFor()
    const next = await say(plans.id, `and again <@${owner.id}>`)
    await expect.poll(() => shownBy(page)).toHaveLength(1)
    // No window of the portal is left to show it in.
    await page.goto(`${server.url}/docs`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await click(worker)).toEqual([`open /c/${channel.id}/${plans.id}/${next.id}`])
  })
})
