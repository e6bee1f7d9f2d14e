import { randomBytes } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import type { Category, Invitation, OwnChannel, Room } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpCode } from '../server/src/accounts/set-up.ts'
import { Person } from '../server/test/person.ts'
import { startServer } from '../server/test/start-server.ts'
import { done, portal, world } from '../server/test/world.ts'
import { describeInBrowser, type Visit, type Visitor } from './browser.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }

/** Whoever is not signed in yet asks who they are, once, and the browser writes the answer to the console. */
const signedOut = { locale: 'en-GB', provokes: [/status of 401/] } satisfies Visit

function newName(): string {
  return `Person ${randomBytes(6).toString('hex')}`
}

async function fillIn(page: Page, { name, password }: { name: string; password: string }): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(password)
}

async function signIn(page: Page, person: Person): Promise<void> {
  await fillIn(page, person)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A channel with rooms in categories, of which its owner sees all. */
async function furnish({ owner, at }: { owner: Person; at: string }): Promise<void> {
  const work = done(await owner.post<Category>(`${at}/categories`, { name: 'Work' }))
  const make = async (name: string, more: object): Promise<Room> =>
    done(await owner.post<Room>(`${at}/rooms`, { name, categoryId: work.id, ...more }))
  await make('plans', { type: 'text', topic: 'What comes next' })
  await make('stand-up', { type: 'voice', userLimit: 10 })
  await make('demo', { type: 'stream' })
  await make('leads', { type: 'text', private: true, writeRestricted: true })
}

async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}

describeInBrowser('the way in', ({ open }) => {
  test('leads a new person through sign-up back to the address they came for', async () => {
    const { server, channel, room } = await world()
    const address = `/c/${channel.id}/${room.id}`
    const page = await open(server.url + address, signedOut)

    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await fillIn(page, { name: newName(), password: 'correct horse battery' })
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'This channel is not here' }).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(address)
  })

  test('keeps the address with its query through sign-in, and leaves no way back to the form', async () => {
    const { server, owner, channel, room } = await world()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}?from=mail`, signedOut)

    await signIn(page, owner)

    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    expect(page.url()).toBe(`${server.url}/c/${channel.id}/${room.id}?from=mail`)
    await page.goto(`${server.url}/sign-in`)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })

  test('tells what is wrong under its field and takes the person there', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/sign-up`, signedOut)
    const name = page.getByRole('textbox', { name: 'Name' })
    const password = page.getByRole('textbox', { name: 'Password' })

    await name.fill('A')
    await password.fill('short')
    await page.getByRole('button', { name: 'Create an account' }).click()

    await page.getByText('From 2 to 32 characters, please.').waitFor()
    await focused(page, name)
    const described = await password.getAttribute('aria-describedby')
    expect(described).not.toBeNull()
    await page
      .locator(`[id="${described?.split(' ')[0]}"]`, { hasText: 'At least 10 characters, please; this has 5.' })
      .waitFor()

    await name.fill('Ada')
    await page.keyboard.press('Enter')
    expect(await name.getAttribute('aria-invalid')).toBeNull()
    await focused(page, password)
  })

  test('explains a refusal of the server in the language of the page', async () => {
    const { server, owner } = await world()
    const page = await open(`${server.url}/sign-in`, { locale: 'ru-RU', provokes: [/status of 401/, /status of 422/] })

    await page.getByLabel('Имя', { exact: true }).fill(owner.name)
    await page.getByLabel('Пароль', { exact: true }).fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('Имя или пароль не подходят.').waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('ru')

    await page.getByRole('link', { name: 'Создать учётную запись' }).click()
    await page.getByRole('heading', { name: 'Новая учётная запись' }).waitFor()
    await page.getByLabel('Имя', { exact: true }).fill(owner.name)
    await page.getByLabel('Пароль', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByText('Это имя занято. Попробуйте другое.').waitFor()
    await page.getByText('English').click()
    await page.getByText('This name is taken. Try another one.').waitFor()
  })

  test('makes the first administrator from the link that the server prints', async () => {
    const server = await startServer()
    const page = await open(`${server.url}/`, { ...signedOut, provokes: [/status of 401/, /status of 403/] })
    await page.getByRole('link', { name: 'Set it up' }).click()
    await page.getByRole('heading', { name: 'Set up your portal' }).waitFor()
    await page.getByLabel('Set-up code').fill('not the code')
    await fillIn(page, { name: 'Ada Novak', password: 'correct horse battery' })
    await page.keyboard.press('Enter')
    await page.getByText('This is not the code that the server printed.').waitFor()

    await page.goto(`${server.url}/set-up?code=${setUpCode(server.parts.secret)}`)
    await fillIn(page, { name: 'Ada Novak', password: 'correct horse battery' })
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByText('Administrator').waitFor()
    await page.goto(`${server.url}/set-up`)
    await page.getByRole('heading', { name: 'All set up' }).waitFor()
  })

  test('lets in by invitation, new people and those with an account', async () => {
    const { server, owner, at, channel, newcomer } = await world()
    const { code } = done(await owner.post<Invitation>(`${at}/invitations`, {}))
    const inside = `/c/${channel.id}/`

    const fresh = await open(`${server.url}/invite/${code}`, signedOut)
    await fresh.getByRole('heading', { name: channel.name }).waitFor()
    await fillIn(fresh, { name: newName(), password: 'correct horse battery' })
    await fresh.keyboard.press('Enter')
    await fresh.waitForURL((url) => url.pathname.startsWith(inside))

    const known = await open(`${server.url}/invite/${code}`, signedOut)
    await known.getByRole('link', { name: 'Sign in' }).click()
    await known.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(known, await newcomer())
    await known.getByRole('button', { name: `Join ${channel.name}` }).click()
    await known.waitForURL((url) => url.pathname.startsWith(inside))
  })

  test('says so when an invitation no longer works', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/invite/long-gone-code`, {
      ...signedOut,
      provokes: [/status of 401/, /status of 422/],
    })
    await page.getByRole('heading', { name: 'This invitation no longer works' }).waitFor()
  })

  test('asks to sign in again when the session ended elsewhere, and goes on where it was', async () => {
    const { server, owner, channel, room } = await world()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, signedOut)
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()

    await page.context().clearCookies()
    await page.reload()

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })
})

describeInBrowser('the shell', ({ open }) => {
  test('lists channels and rooms, and each room has its address', async () => {
    const { server, owner, channel, at } = await world()
    await furnish({ owner, at })
    const page = await open(server.url, signedOut)
    await signIn(page, owner)

    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans text room' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
    await page.getByText('What comes next').waitFor()
    expect(await page.title()).toBe(`plans · ${channel.name} · Portico`)
    await rooms.getByRole('link', { name: 'leads text room, private, not everybody may write' }).click()
    await page.getByRole('heading', { level: 1, name: 'leads' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()

    await page.goto(server.url)
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()
  })

  test('folds a category away, but not the room that is open, and remembers it', async () => {
    const { server, owner, at } = await world()
    await furnish({ owner, at })
    const page = await open(server.url, signedOut)
    await signIn(page, owner)
    const rooms = page.getByRole('navigation', { name: 'Rooms' })
    await rooms.getByRole('link', { name: 'plans' }).click()
    await page.getByRole('heading', { level: 1, name: 'plans' }).waitFor()

    await rooms.getByRole('button', { name: 'Work' }).click()
    await rooms.getByRole('link', { name: 'demo' }).waitFor({ state: 'detached' })
    await rooms.getByRole('link', { name: 'plans' }).waitFor()

    await page.reload()
    await rooms.getByRole('button', { name: 'Work', expanded: false }).waitFor()
    await rooms.getByRole('button', { name: 'Work' }).click()
    await rooms.getByRole('link', { name: 'demo' }).waitFor()
  })

  test('takes a newcomer from nothing to a channel of their own, by keyboard alone', async () => {
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
    await page.getByRole('dialog', { name: 'A new channel' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('textbox', { name: 'Name' }))
    await page.keyboard.type('Книжный клуб')
    await tabTo(page, page.getByRole('switch', { name: 'Open to everybody here' }))
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')

    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Книжный клуб' }).waitFor()
    await page.waitForURL(/\/c\//)
  })

  test('lets a person join an open channel', async () => {
    const { server, owner, newcomer } = await world()
    const name = `Club ${randomBytes(4).toString('hex')}`
    const club = done(await owner.post<OwnChannel>('/channels', { name, open: true }))
    const page = await open(`${server.url}/explore`, signedOut)
    await signIn(page, await newcomer())

    await page.getByRole('button', { name: `Join ${name}` }).click()

    await page.waitForURL((url) => url.pathname.startsWith(`/c/${club.id}`))
    await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name }).waitFor()
  })

  test('keeps theme and language with the person, from before the first paint', async () => {
    const { server, owner } = await world()
    const page = await open(server.url, signedOut)
    await signIn(page, owner)
    await page.getByRole('button', { name: owner.name }).click()
    await page.getByTitle('Dark').click()
    await page.getByText('Русский').click()
    await page.getByRole('button', { name: 'Выйти' }).waitFor()
    await page.reload()
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.getByRole('navigation', { name: 'Каналы' }).waitFor()

    const elsewhere = await open(server.url, signedOut)
    await signIn(elsewhere, owner)
    await elsewhere.getByRole('navigation', { name: 'Каналы' }).waitFor()
    await elsewhere.locator('html[data-theme="dark"][lang="ru"]').waitFor()

    await elsewhere.getByRole('button', { name: owner.name }).click()
    await elsewhere.getByRole('button', { name: 'Выйти' }).click()
    await elsewhere.getByRole('heading', { name: 'Вход' }).waitFor()
    expect(elsewhere.url()).toBe(`${server.url}/sign-in`)
  })

  test('on a phone slides the channels in over a page that takes no input', async () => {
    const { server, owner, at, channel, room } = await world()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedOut,
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
    })
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    const menu = page.getByRole('button', { name: 'Open the menu' })
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

  test('says that the server is away, and comes back when it does', async () => {
    const { server, owner, channel, room } = await world()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, {
      ...signedOut,
      provokes: [/status of 401/, /ERR_INTERNET_DISCONNECTED|ERR_FAILED/],
    })
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()

    await page.route('**/portal/v1/**', (route) => route.abort())
    await page.reload()
    await page.getByText('There is no connection to the server.').waitFor()
    await page.unroute('**/portal/v1/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })

  test('lets the keyboard skip the lists, and knows pages and rooms that are not there', async () => {
    const { server, owner, channel } = await world()
    const page = await open(`${server.url}/c/${channel.id}/nowhere`, signedOut)
    await signIn(page, owner)
    await page.getByRole('heading', { level: 2, name: 'This room is not here' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await focused(page, page.getByRole('main'))

    await page.goto(`${server.url}/no/such/page`)
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await page.getByRole('link', { name: 'Go home' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  })
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of [DESKTOP, PHONE]) {
    describeInBrowser(`${colorScheme}, ${viewport.width} wide, axe finds nothing`, ({ open }) => {
      lookForFaults(open, { ...signedOut, colorScheme, viewport, reducedMotion: 'reduce' })
    })
  }
}

function lookForFaults(open: Visitor['open'], visit: Visit & typeof signedOut): void {
  test('on the way in', async () => {
    const { server, owner, at } = await world()
    const { code } = done(await owner.post<Invitation>(`${at}/invitations`, {}))
    const page = await open(`${server.url}/sign-in`, visit)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Enter your name.').waitFor()
    expect(await faultsOf(page)).toEqual([])

    for (const [path, heading] of [
      ['/sign-up', 'Create an account'],
      [`/invite/${code}`, 'Ateliers'],
      ['/set-up', 'All set up'],
      ['/no/such/page', 'There is no such page'],
    ] as const) {
      await page.goto(server.url + path)
      await page.getByRole('heading', { name: heading }).waitFor()
      expect(await faultsOf(page)).toEqual([])
    }
  })

  test('in the shell', async () => {
    const { server, owner, at, channel, room } = await world()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, visit)
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    if (visit.viewport === PHONE) await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'plans' }).waitFor()
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('button', { name: owner.name }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(await faultsOf(page)).toEqual([])

    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create a channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'A new channel' })
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Give the channel a name.').waitFor()
    expect(await faultsOf(page)).toEqual([])

    await page.goto(`${server.url}/explore`)
    await page.getByRole('heading', { level: 2, name: 'Ateliers' }).first().waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  test('where there is no channel yet', async () => {
    const { server, newcomer } = await world()
    const page = await open(server.url, visit)
    await signIn(page, await newcomer())
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByRole('heading', { level: 3 }).first().waitFor()
    expect(await faultsOf(page)).toEqual([])
  })
}

/** Waits until the focus is here. */
function focused(page: Page, control: Locator): Promise<void> {
  return control.and(page.locator(':focus')).waitFor()
}

/** Presses Tab until the focus is here; what the keyboard cannot reach fails. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab')
    if ((await control.and(page.locator(':focus')).count()) > 0) return
  }
  throw new Error(`The keyboard does not reach ${String(control)}`)
}
