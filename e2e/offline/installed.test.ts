import { setTimeout as sleep } from 'node:timers/promises'
import type { Room } from '@portico/contract'
import type { Page, Worker } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture, portal } from '../../server/test/channel-fixture.ts'
import { PushService, type SubscribedBrowser } from '../../server/test/push-service.ts'
import { describeInBrowser } from '../browser.ts'
import { openRoom, row, signedIn } from '../chat/chat-visit.ts'

/** This tab records the notifications that it showed, also on its next pages. */
async function noteShown(page: Page): Promise<void> {
  const note = () => {
    const { prototype } = ServiceWorkerRegistration
    const { showNotification } = prototype
    prototype.showNotification = async function (title, options) {
      await showNotification.call(this, title, options)
      document.documentElement.dataset['shown'] = options?.body ?? ''
    }
  }
  await page.addInitScript(note)
  await page.evaluate(note)
}

/** Waits until this notification was shown. */
function wasShown(page: Page, text: string): Promise<void> {
  return page.locator(`html[data-shown*="${text}"]`).waitFor()
}

/** From here on the worker counts the notifications that it has shown, in `self.shown`. */
async function countShown(worker: Worker): Promise<void> {
  await worker.evaluate(`(() => {
    const { prototype } = ServiceWorkerRegistration
    const { showNotification } = prototype
    self.shown = 0
    prototype.showNotification = async function (...given) {
      await showNotification.apply(this, given)
      self.shown += 1
    }
  })()`)
}

/**
 * The visible notifications, which outlive the page. Only call it after they appeared: Chromium drops a notification from
 * this list for good if it is about to be shown during the call.
 */
async function shownBy(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const worker = await navigator.serviceWorker.ready
    const shown = await worker.getNotifications()
    return shown.map(({ title, body }) => `${title}: ${body}`)
  })
}

/**
 * Clicks the visible notification. Without a desktop there is nothing to click, and only a real click lets a worker focus
 * or open a window: this returns what it tried to open instead.
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

/** Chromium's own push service can't be reached from a test: this tab subscribes at the one of the test. */
async function subscribeAt(page: Page, browser: SubscribedBrowser): Promise<void> {
  const { endpoint, p256dh, auth } = browser.subscription
  await page.addInitScript(
    ({ json }) => {
      PushManager.prototype.getSubscription = async () => null
      PushManager.prototype.subscribe = async (options) => {
        const key = options?.applicationServerKey
        document.documentElement.dataset['pushKey'] = typeof key === 'string' ? key : ''
        return { toJSON: () => json } as unknown as PushSubscription
      }
    },
    { json: { endpoint, keys: { p256dh, auth } } },
  )
}

/** Hands a decrypted push to the service worker, as the browser does. */
async function deliver(page: Page, data: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [one] }) => {
      if (one) resolve(one.registrationId)
    })
  })
  await devTools.send('ServiceWorker.enable')
  const registrationId = await registered
  await devTools.send('ServiceWorker.deliverPushMessage', { origin: new URL(page.url()).origin, registrationId, data })
}

const allowed = { permissions: ['notifications'], serviceWorkers: 'allow' as const }

/** A person's page after they turned on notifications for mentions. */
async function notified(page: Page, { name }: Person): Promise<Page> {
  await noteShown(page)
  await page.getByRole('button', { name }).first().click()
  const mentions = page.getByRole('switch', { name: 'Notify me about messages' })
  await mentions.click()
  // The switch is on at once; the setting is stored when the service worker has started.
  await expect.poll(() => page.evaluate(() => localStorage.getItem('portico.notifications'))).toBe('true')
  expect(await mentions.isChecked()).toBe(true)
  await page.keyboard.press('Escape')
  return page
}

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

describeInBrowser(
  'the installed portal',
  ({ open }) => {
    test('is installable, with icons of the declared sizes', async () => {
      const { server, owner } = await channelFixture()
      const page = await open(server.url, signedIn(server.url, owner))
      const devTools = await page.context().newCDPSession(page)
      const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors')
      // Every test is a new visitor, as in a private window, where nothing is installed.
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

    test('notifies of mentions when allowed and not focused, and a click opens the message', async () => {
      const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
      const [ada] = people
      const plans = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'plans', type: 'text' }))
      const page = await notified(await openRoom(open, { url: server.url, room }, owner, allowed), owner)
      const say = async (roomId: string, text: string) =>
        expectOk(await ada.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: channel.id, text }))

      await say(room.id, `before your eyes <@${owner.id}>`)
      await row(page, 'before your eyes').waitFor()
      await say(plans.id, `behind your back <@${owner.id}>`)
      await wasShown(page, 'behind your back')
      expect(await shownBy(page)).toEqual([
        `${ada.name} mentioned you · #plans · Ateliers: behind your back @${owner.name}`,
      ])

      const [worker] = page.context().serviceWorkers()
      if (!worker) throw new Error('there is no worker')
      expect(await click(worker)).toEqual([`focus /c/${channel.id}/${room.id}`])
      await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
      await row(page, 'behind your back').waitFor()
      expect(await shownBy(page)).toEqual([])

      await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
      await row(page, 'before your eyes').waitFor()
      const next = await say(plans.id, `and again <@${owner.id}>`)
      await wasShown(page, 'and again')
      expect(await shownBy(page)).toHaveLength(1)
      // No window of the portal is open.
      await page.goto(`${server.url}/docs`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await click(worker)).toEqual([`open /c/${channel.id}/${plans.id}/${next.id}`])
    })

    test('notifies of replies, and of every message where the level says so, but not where it is nothing', async () => {
      const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
      const [ada] = people
      const [plans, noise] = await Promise.all(
        ['plans', 'noise'].map(async (name) => expectOk(await owner.post<Room>(`${at}/rooms`, { name, type: 'text' }))),
      )
      const say = async (person: Person, roomId = '', text: string, replyToId?: string) =>
        expectOk(
          await person.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: channel.id, text, replyToId }),
        )
      expectOk(await owner.patch(`/rooms/${plans?.id}/notifications`, { level: 'all' }))
      expectOk(await owner.patch(`/rooms/${noise?.id}/notifications`, { level: 'nothing' }))
      const question = await say(owner, noise?.id, 'a question')
      const page = await notified(await openRoom(open, { url: server.url, room }, owner, allowed), owner)

      await say(ada, noise?.id, `never <@${owner.id}>`, question.id)
      await say(ada, plans?.id, 'good morning')
      await wasShown(page, 'good morning')
      expect(await shownBy(page)).toEqual([`${ada.name} · #plans · Ateliers: good morning`])
    })

    test('notifies of a mention in a room without a loaded read state', async () => {
      const { server, owner, people, channel, room, at } = await channelFixture({ people: 1 })
      const page = await notified(await openRoom(open, { url: server.url, room }, owner, allowed), owner)
      // Longer than the portal waits before it notifies.
      await page.route('**/portal/v1/read-states', async (route) => {
        await sleep(3000)
        await route.continue()
      })
      const news = expectOk(await owner.post<Room>(`${at}/rooms`, { name: 'news', type: 'text' }))
      await page.getByRole('link', { name: 'news' }).waitFor()
      const text = `hear hear <@${owner.id}>`
      expectOk(await people[0].post(`/rooms/${news.id}/messages`, { channelId: channel.id, text }))
      await wasShown(page, 'hear hear')
      expect(await shownBy(page)).toEqual([
        `${people[0].name} mentioned you · #news · Ateliers: hear hear @${owner.name}`,
      ])
      await page.unrouteAll({ behavior: 'wait' })
    })

    test('is notified by a push while it is closed, and a click opens the message', async () => {
      const { server, owner, people, channel, room } = await channelFixture({ people: 1 })
      const [ada] = people
      const browser = (await PushService.start()).browser()
      const page = await open(server.url, { ...signedIn(server.url, owner), ...allowed })
      await subscribeAt(page, browser)
      await page.goto(`${server.url}/settings/notifications`)
      const closed = page.getByRole('switch', { name: 'Notify me when the portal is closed' })
      await closed.click()
      await expect.poll(() => closed.isChecked()).toBe(true)
      const subscription = async () =>
        expectOk(await owner.get<{ publicKey: string; subscribed: boolean }>('/push-subscription'))
      await expect.poll(subscription).toMatchObject({ subscribed: true })
      const { publicKey } = await subscription()
      await page.locator(`html[data-push-key="${publicKey}"]`).waitFor()

      // No window of the portal is open.
      await page.goto(`${server.url}/docs`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await server.services.database.kysely
        .updateTable('sessions')
        .set({ active_at: null })
        .where('account_id', '=', owner.id)
        .execute()
      const text = `are you there, <@${owner.id}>?`
      const { id } = expectOk(
        await ada.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId: channel.id, text }),
      )
      await expect.poll(() => browser.received.length).toBe(1)
      const [worker] = page.context().serviceWorkers()
      if (!worker) throw new Error('there is no worker')
      await countShown(worker)
      await deliver(page, JSON.stringify(browser.received[0]?.text))
      await expect.poll(() => worker.evaluate('self.shown')).toBe(1)
      const title = `${ada.name} mentioned you · #${room.name} · ${channel.name}`
      expect(await shownBy(page)).toEqual([`${title}: are you there, @${owner.name}?`])
      expect(await click(worker)).toEqual([`open /c/${channel.id}/${room.id}/${id}`])

      // Each page renews the subscription, which must not undo what is chosen meanwhile.
      const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
      await page.route('**/portal/v1/push-subscription', async (route, request) => {
        // Long enough for a request that doesn't wait for this one.
        if (request.method() === 'PUT') await Promise.race([ended, sleep(1000)])
        await route.continue()
      })
      await page.goto(`${server.url}/settings/notifications`)
      await closed.click()
      await ended
      expect(await closed.isChecked()).toBe(false)
      await expect.poll(subscription).toMatchObject({ subscribed: false })
    })
  },
  { windows: true },
)
