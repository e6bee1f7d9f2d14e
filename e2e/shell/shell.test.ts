import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, OwnChannel } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { focused, furnish, newName, PHONE, SESSION_ENDED, signedOut, signIn, tabTo } from '../portal-visit.ts'

describeInBrowser('the shell', ({ open }) => {
  test('lists channels and rooms, and each room has its own URL', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    const page = await open(server.url, signedIn(server.url, owner))

    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans text room' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await page.getByText('What comes next').waitFor()
    expect(await page.title()).toBe(`plans · ${channel.name} · Portico`)
    await rooms.getByRole('link', { name: 'leads text room, private, posting restricted' }).click()
    await page.getByRole('heading', { level: 1, name: 'leads' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()

    await page.goto(server.url)
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
  })

  test('collapses a category except for the open room, and remembers it', async () => {
    const { server, owner, at } = await channelFixture()
    await furnish({ owner, at })
    const page = await open(server.url, signedIn(server.url, owner))
    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()

    await rooms.getByRole('button', { name: 'Work', exact: true }).click()
    await rooms.getByRole('link', { name: 'demo' }).waitFor({ state: 'detached' })
    await rooms.getByRole('link', { name: 'plans' }).waitFor()

    await page.reload()
    await rooms.getByRole('button', { name: 'Work', exact: true, expanded: false }).waitFor()
    await rooms.getByRole('button', { name: 'Work', exact: true }).click()
    await rooms.getByRole('link', { name: 'demo' }).waitFor()
  })

  test('takes a new person to a channel of their own with the keyboard alone', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/sign-up`, signedOut)
    await page.getByLabel('Name', { exact: true }).focus()
    await page.keyboard.type(newName())
    await page.keyboard.press('Tab')
    await page.keyboard.type('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()

    await tabTo(page, page.getByRole('main').getByRole('button', { name: 'Create a channel' }))
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New channel' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await focused(page, page.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('Книжный клуб')
    await tabTo(page, page.getByRole('switch', { name: 'Open to everyone' }))
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')

    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Книжный клуб' }).waitFor()
    await page.waitForURL(/\/c\//)
  })

  test('lets a person join an open channel', async () => {
    const { server, owner, newPerson } = await channelFixture()
    const name = `Club ${randomBytes(4).toString('hex')}`
    const club = expectOk(await owner.post<OwnChannel>('/channels', { name, open: true }))
    const page = await open(`${server.url}/explore`, signedIn(server.url, await newPerson()))

    await page.getByRole('button', { name: `Join ${name}` }).click()

    await page.waitForURL((url) => url.pathname.startsWith(`/c/${club.id}`))
    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name }).waitFor()
  })

  test('applies the person’s theme and language before the first paint', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(server.url, signedIn(server.url, owner))
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByTitle('Dark').click()
    await page.getByText('Русский').click()
    await page.getByRole('button', { name: 'Выйти' }).waitFor()
    const savedAccount = async () => expectOk(await owner.get<{ account: Account }>('/session')).account
    await expect.poll(savedAccount).toMatchObject({ locale: 'ru', theme: 'dark' })
    await page.reload()
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.getByRole('navigation', { name: 'Каналы' }).waitFor()

    const elsewhere = await open(server.url, { ...signedOut, excuses: [SESSION_ENDED] })
    await signIn(elsewhere, owner)
    await elsewhere.getByRole('navigation', { name: 'Каналы' }).waitFor()
    await elsewhere.locator('html[data-theme="dark"][lang="ru"]').waitFor()

    await elsewhere.getByRole('button', { name: owner.name }).first().click()
    await elsewhere.getByRole('button', { name: 'Выйти' }).click()
    await elsewhere.getByRole('heading', { name: 'Вход' }).waitFor()
    expect(elsewhere.url()).toBe(`${server.url}/sign-in`)
  })

  test('signs out to a bare sign-in page, even if the session turns out to be over before the answer', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(server.url, { ...signedIn(server.url, owner), excuses: [SESSION_ENDED] })
    const addresses = new Set<string>()
    page.on('framenavigated', (frame) => addresses.add(frame.url()))
    await page.getByRole('button', { name: owner.name }).first().click()
    await page.route('**/portal/v1/sessions/current', async (route) => {
      const answer = await route.fetch()
      await page.getByRole('navigation', { name: 'Rooms' }).waitFor({ state: 'detached' })
      // Long enough for a page that would ask to sign in again.
      await sleep(500)
      await route.fulfill({ response: answer })
    })

    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect([...addresses].filter((address) => address.includes('/sign-in'))).toEqual([`${server.url}/sign-in`])
  })

  test('slides the channels over an inert page on a phone', async () => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    })
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    const menu = page.getByRole('button', { name: 'Open menu' })
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    await menu.click()
    await drawer.waitFor()
    await page.locator('main[inert]').waitFor({ state: 'attached' })
    await focused(page, drawer.getByRole('link', { name: 'workshop' }))

    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await focused(page, menu)

    await menu.click()
    await drawer.waitFor()
    await page.touchscreen.tap(PHONE.width - 10, PHONE.height / 2)
    await drawer.waitFor({ state: 'detached' })

    await menu.click()
    await drawer.getByRole('link', { name: 'plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await drawer.waitFor({ state: 'detached' })
  })

  test('closes the drawer with Esc even before the shortcuts are loaded, but first a menu in it', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/explore`, { ...signedIn(server.url, owner), viewport: PHONE })
    const requested = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route('**/_app/immutable/**/*.js', async (route) => {
      const response = await route.fetch()
      if ((await response.text()).includes('[data-landmark="aside"] [type="search"]')) {
        requested.resolve()
        await held.promise
      }
      await route.fulfill({ response })
    })
    await page.goto(`${server.url}/c/${channel.id}/${room.id}`)
    const menu = page.getByRole('button', { name: 'Open menu' })
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    const link = drawer.getByRole('link', { name: 'workshop' })
    await menu.click()
    await focused(page, link)
    await requested.promise
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await focused(page, menu)

    held.resolve()
    await page.unrouteAll({ behavior: 'wait' })
    await page.keyboard.press('Enter')
    await focused(page, link)
    await page.keyboard.press('Shift+F10')
    const roomMenu = page.getByRole('menu', { name: 'workshop' })
    await focused(page, roomMenu.getByRole('menuitem').first())
    await page.keyboard.press('Escape')
    await roomMenu.waitFor({ state: 'detached' })
    await focused(page, link)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  test('explains the icon that the drawer focuses only to people who use the keyboard', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(`${server.url}/explore`, {
      ...signedIn(server.url, owner),
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    })
    const menu = page.getByRole('button', { name: 'Open menu' })
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    const explore = drawer.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Open channels' })
    const tooltip = page.locator('.tooltip')
    await menu.tap()
    await focused(page, explore)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))))
    expect(await tooltip.count()).toBe(0)

    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await focused(page, explore)
    await tooltip.filter({ hasText: 'Open channels' }).waitFor()
  })

  test('says that the server can’t be reached, and recovers', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedIn(server.url, owner),
      provokes: [/ERR_INTERNET_DISCONNECTED|ERR_FAILED/],
    })
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()

    await page.route('**/portal/v1/**', (route) => route.abort())
    await page.reload()
    await page.getByRole('heading', { name: 'No connection' }).waitFor()
    await page.unroute('**/portal/v1/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })

  test('has a skip link, and pages for missing rooms and addresses', async () => {
    const { server, owner, channel } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/nowhere`, signedIn(server.url, owner))
    await page.getByRole('heading', { level: 2, name: 'Room not found' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await focused(page, page.getByRole('main'))

    await page.goto(`${server.url}/no/such/page`)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await page.getByRole('link', { name: 'Go home' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()

    const marked: string[] = []
    page.on('request', (request) => void (request.method() === 'PUT' && marked.push(request.url())))
    await page.goto(`${server.url}/c/${crypto.randomUUID()}`)
    await page.getByRole('heading', { level: 2, name: 'Channel not found' }).waitFor()
    await page.keyboard.press('Shift+Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    expect(marked).toEqual([])
  })
})
