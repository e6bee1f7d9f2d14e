import { randomBytes, randomUUID } from 'node:crypto'
import type { ManagedApplication } from '@portico/contract'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { setUpCode } from '../server/src/accounts/set-up.ts'
import { Person } from '../server/test/person.ts'
import { startServer, type TestServer } from '../server/test/start-server.ts'
import { done, portal, world } from '../server/test/world.ts'
import { describeInBrowser, type Visit, type Visitor } from './browser.ts'
import { faultsOf } from './faults-of.ts'
import { DESKTOP, fillIn, focused, PHONE, signedOut, signIn, tabTo } from './portal-visit.ts'

const SECTIONS = ['People', 'Channels', 'Applications', 'Portal', 'Health'] as const

async function visitAdministration(
  open: Visitor['open'],
  person: Person,
  server: { url: string },
  path = '',
  visit: Visit = {},
): Promise<Page> {
  const page = await open(`${server.url}/administration${path}`, { ...signedOut, ...visit })
  await signIn(page, person)
  await page.getByRole('button', { name: 'Sign in' }).waitFor({ state: 'detached' })
  return page
}

/** The page of people, narrowed to one of them. */
async function lookFor(open: Visitor['open'], person: Person, visit: Visit = {}): Promise<Page> {
  const { server, administrator } = await portal()
  const page = await visitAdministration(
    open,
    administrator,
    server,
    `/people?search=${encodeURIComponent(person.name)}`,
    visit,
  )
  await page.getByRole('button', { name: `Manage ${person.name}` }).waitFor()
  return page
}

async function manage(page: Page, person: Person): Promise<Locator> {
  await page.getByRole('button', { name: `Manage ${person.name}` }).click()
  return page.getByRole('dialog', { name: person.name })
}

/** Accounts that nobody signs in to: enough of them for more than one page. */
async function crowd(server: TestServer, size: number): Promise<string> {
  const tag = `crowd-${randomBytes(4).toString('hex')}`
  await server.parts.database.kysely
    .insertInto('accounts')
    .values(
      Array.from({ length: size }, (_, index) => ({
        id: randomUUID(),
        kind: 'person' as const,
        name: `${tag} ${index}`,
        avatar: 'initials',
        password_hash: 'none',
      })),
    )
    .execute()
  return tag
}

describeInBrowser('administration', ({ open }) => {
  test('is reached from the menu by keyboard, and every section from the list', async () => {
    const { server, administrator } = await portal()
    const page = await open(server.url, signedOut)
    await signIn(page, administrator)
    const menu = page.getByRole('button', { name: administrator.name })
    await menu.waitFor()
    await tabTo(page, menu)
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('link', { name: 'Administration' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'People' }).waitFor()

    const list = page.getByRole('navigation', { name: 'Administration' })
    for (const name of SECTIONS) {
      await list.getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(await page.title()).toBe(`${name} · Administration · Portico`)
    }
  })

  test('is refused in words to whoever is no administrator, and nothing leads them there', async () => {
    const { server, newcomer } = await world()
    const person = await newcomer()
    const page = await visitAdministration(open, person, server, '/people')
    await page.getByRole('heading', { name: 'For administrators only' }).waitFor()
    await page.getByText('You are not an administrator of this portal.').waitFor()
    expect(await page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0)
    expect(await page.getByRole('searchbox').count()).toBe(0)

    await page.getByRole('button', { name: person.name }).click()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
  })

  test('finds people by name: the address keeps the words, and a link to the whole list drops them', async () => {
    const { server, administrator } = await portal()
    const tag = await crowd(server, 60)
    const page = await visitAdministration(open, administrator, server, '/people')
    const field = page.getByRole('searchbox', { name: 'Search by name' })
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem')
    await field.fill(tag)
    await page.waitForURL((url) => url.searchParams.get('search') === tag)
    await focused(page, field)

    await expect.poll(() => rows.filter({ hasText: tag }).count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => rows.count()).toBe(60)
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)

    await page.reload()
    await expect.poll(() => rows.filter({ hasText: tag }).count()).toBe(50)
    expect(await field.inputValue()).toBe(tag)
    await field.fill(`${tag} nobody`)
    await page.getByText(`Nothing was found for “${tag} nobody”.`).waitFor()

    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'People' }).click()
    await rows.first().waitFor()
    expect(await field.inputValue()).toBe('')
    expect(new URL(page.url()).search).toBe('')
  })

  test('makes somebody an administrator, and takes it back', async () => {
    const { newcomer } = await world()
    const person = await newcomer()
    const page = await lookFor(open, person)
    const row = page.getByRole('listitem').filter({ hasText: person.name })
    const dialog = await manage(page, person)
    await dialog.getByRole('button', { name: 'Make administrator' }).click()
    await dialog.getByRole('button', { name: 'Take away' }).waitFor()
    await dialog.getByText('Done').waitFor()
    expect((await person.get('/administration/health')).status).toBe(200)
    await page.keyboard.press('Escape')
    await row.getByText('Administrator').waitFor()
    await focused(page, page.getByRole('button', { name: `Manage ${person.name}` }))

    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Take away' }).click()
    await dialog.getByRole('button', { name: 'Make administrator' }).waitFor()
    expect((await person.get('/administration/health')).status).toBe(403)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await row.getByText('Administrator').waitFor({ state: 'detached' })
  })

  test('never loses the last administrator, and one who steps down leaves the page', async () => {
    const { administrator } = await portal()
    const { server, newcomer } = await world()
    const last = await lookFor(open, administrator, { provokes: [/status of 401/, /status of 422/] })
    const dialog = await manage(last, administrator)
    await dialog.getByRole('button', { name: 'Take away' }).click()
    await dialog.getByText('This is the last administrator. Make somebody else one first.').waitFor()
    expect(await dialog.getByText('Done').count()).toBe(0)

    const second = await newcomer()
    done(await administrator.patch(`/administration/people/${second.id}`, { isAdministrator: true }))
    const page = await visitAdministration(open, second, server, `/people?search=${encodeURIComponent(second.name)}`)
    const own = await manage(page, second)
    await own.getByRole('button', { name: 'Take away' }).click()
    await own.getByRole('button', { name: 'Make administrator' }).waitFor()
    await own.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'For administrators only' }).waitFor()
    await page.getByRole('navigation', { name: 'Administration' }).waitFor({ state: 'detached' })
  })

  test('keeps somebody out, which they are told, and lets them back in', async () => {
    const { server, newcomer } = await world()
    const person = await newcomer()
    const theirs = await open(`${server.url}/settings/profile`, {
      ...signedOut,
      provokes: [/status of 401/, /status of 403/],
    })
    await signIn(theirs, person)
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()

    const page = await lookFor(open, person)
    const dialog = await manage(page, person)
    await dialog.getByText('May sign in.').waitFor()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByText('Cannot sign in. Nothing was deleted.').waitFor()

    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(theirs, person)
    await theirs.getByText('An administrator has disabled this account.').waitFor()

    await dialog.getByRole('button', { name: 'Close' }).click()
    const mark = page.getByRole('listitem').filter({ hasText: person.name }).getByText('Disabled')
    await mark.waitFor()
    await manage(page, person)
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByRole('button', { name: 'Disable' }).waitFor()
    await page.keyboard.press('Escape')
    await mark.waitFor({ state: 'detached' })
    await theirs.getByRole('button', { name: 'Sign in' }).click()
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  })

  test('ends all sessions of somebody, and gives them a new password', async () => {
    const { server, newcomer } = await world()
    const person = await newcomer()
    const page = await lookFor(open, person)
    const dialog = await manage(page, person)
    await dialog.getByRole('button', { name: 'End all' }).click()
    await dialog.getByText('Done').waitFor()
    expect((await person.get('/session')).status).toBe(401)

    const field = dialog.getByLabel('New password', { exact: true })
    await field.fill('short')
    expect(await dialog.getByText('Done').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Set the password' }).click()
    await dialog.getByText('At least 10 characters, please; this has 5.').waitFor()
    await focused(page, field)
    await field.fill('something new entirely')
    await page.keyboard.press('Enter')
    await dialog.getByText('Done').waitFor()
    expect(await field.inputValue()).toBe('')

    const theirs = await open(`${server.url}/settings/profile`, signedOut)
    await signIn(theirs, person)
    await theirs.getByText('The name or the password is not right.').waitFor()
    await fillIn(theirs, { name: person.name, password: 'something new entirely' })
    await theirs.getByRole('button', { name: 'Sign in' }).click()
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  })

  test('lists channels with their owners and sizes, not what is said in them', async () => {
    const { administrator } = await portal()
    const { server, owner, at } = await world({ people: 1 })
    const name = `Observatory ${randomBytes(4).toString('hex')}`
    done(await owner.patch(at, { name }))
    const page = await visitAdministration(open, administrator, server, '/channels')
    await page.getByRole('searchbox', { name: 'Search by name' }).fill(name.toUpperCase())
    const row = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
    await expect.poll(() => row.count()).toBe(1)
    await row.getByText(name).waitFor()
    await row.getByText(`Owner: ${owner.name} · 2 members`).waitFor()
    await row.getByText(/3 rooms · open to everybody/).waitFor()
    expect(await row.getByRole('link').count()).toBe(0)
  })

  test('sets quotas of an application and gives it the usual ones again', async () => {
    const { administrator } = await portal()
    const { server, bots } = await world({ bots: 1, quotas: 'usual' })
    const { application } = bots[0]
    const kept = async (): Promise<ManagedApplication | undefined> => {
      const path = `/administration/applications?search=${encodeURIComponent(application.name)}`
      const { applications } = done(await administrator.get<{ applications: ManagedApplication[] }>(path))
      return applications.find(({ id }) => id === application.id)
    }
    const page = await visitAdministration(open, administrator, server, '/applications')
    const row = page.getByRole('listitem').filter({ has: page.getByText(application.name, { exact: true }) })
    const button = row.getByRole('button', { name: `Quotas of ${application.name}` })
    const dialog = page.getByRole('dialog', { name: `Quotas of ${application.name}` })
    await row.getByText('A minute: 60 requests, 20 writes').waitFor()
    await button.click()
    const requests = dialog.getByRole('textbox', { name: 'Requests a minute' })
    await requests.fill('many')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('A whole number from 1 to 1,000,000, please.').waitFor()
    await focused(page, requests)
    await requests.fill('1200')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row.getByText('A minute: 1,200 requests, 20 writes').waitFor()
    await focused(page, button)

    await page.keyboard.press('Enter')
    expect(await requests.inputValue()).toBe('1200')
    expect(await dialog.getByRole('textbox', { name: 'Writes a minute' }).inputValue()).toBe('')
    await requests.fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('A minute: 60 requests, 20 writes').waitFor()
    expect(await kept()).toMatchObject({ limits: { requests: 60, writes: 20 }, limitsSet: false })
  })

  test('names the portal and closes registration, which the sign-up page says', async () => {
    const server = await startServer()
    const administrator = await new Person(server).setUp(setUpCode(server.parts.secret))
    const page = await visitAdministration(open, administrator, server, '/portal')
    const name = page.getByRole('textbox', { name: 'Name of the portal' })
    await name.fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('From 1 to 64 characters, please.').waitFor()
    await focused(page, name)
    await name.fill('Lighthouse')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await expect.poll(() => page.title()).toBe('Portal · Administration · Lighthouse')

    const registration = page.getByRole('switch', { name: 'Anybody may create an account' })
    expect(await registration.isChecked()).toBe(true)
    // The switch itself does not wait for the server.
    const turn = () =>
      Promise.all([page.waitForResponse((answer) => answer.request().method() === 'PATCH'), registration.click()])
    await turn()
    expect(await registration.isChecked()).toBe(false)
    const visitor = await open(`${server.url}/sign-up`, signedOut)
    await visitor.getByRole('heading', { name: 'Registration is closed' }).waitFor()

    await turn()
    expect(await registration.isChecked()).toBe(true)
    await visitor.reload()
    await visitor.getByRole('heading', { name: 'Create an account' }).waitFor()
  })

  test('tells sizes and what waits', async () => {
    const { administrator } = await portal()
    const { server } = await world()
    const page = await visitAdministration(open, administrator, server, '/health')
    const fact = (region: string, name: string): Locator =>
      page
        .getByRole('region', { name: region })
        .locator('div')
        .filter({ has: page.getByRole('term').filter({ hasText: name }) })
        .getByRole('definition')
    expect(await fact('Sizes', 'Version').textContent()).toBe(server.parts.version)
    expect(await fact('Sizes', 'Database').textContent()).toMatch(/^\d+(\.\d)? MB$/)
    expect(Number(await fact('Sizes', 'People').textContent())).toBeGreaterThan(1)
    expect(await fact('Events and webhooks', 'Deliveries waiting').textContent()).toBe('0')
  })

  test('begins with the list on a phone', async () => {
    const { server, administrator } = await portal()
    const page = await visitAdministration(open, administrator, server, '', { viewport: PHONE })
    await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor()
    const list = page.getByRole('main')
    await list.getByRole('link', { name: /^Health/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor()
  })

  test('speaks Russian', async () => {
    const { administrator } = await portal()
    const { server, newcomer } = await world({ bots: 1, quotas: 'usual' })
    const person = await newcomer()
    done(await administrator.patch(`/administration/people/${person.id}`, { disabled: true }))
    const page = await open(`${server.url}/administration/people?search=${encodeURIComponent(person.name)}`, {
      locale: 'ru-RU',
      provokes: [/status of 401/, /status of 403/],
    })
    const enter = async ({ name, password }: Person): Promise<void> => {
      await page.getByLabel('Имя', { exact: true }).fill(name)
      await page.getByLabel('Пароль', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Войти' }).click()
    }
    await enter(person)
    await page.getByText('Администратор отключил эту учётную запись.').waitFor()
    await enter(administrator)
    await page.getByRole('heading', { level: 1, name: 'Люди' }).waitFor()
    await page.getByRole('list', { name: 'Люди' }).getByText('Доступ отключён').waitFor()
    await page.getByRole('button', { name: `Управлять: ${person.name}` }).click()
    const dialog = page.getByRole('dialog', { name: person.name })
    await dialog.getByText('Войти не может. Ничего не удалено.').waitFor()
    await dialog.getByRole('button', { name: 'Закрыть' }).click()
    await page.getByRole('searchbox', { name: 'Поиск по имени' }).fill('никого такого')
    await page.getByText('По запросу «никого такого» ничего не найдено.').waitFor()

    await page.goto(`${server.url}/administration/applications`)
    await page.getByText('В минуту: запросов — 60, записей — 20').first().waitFor()
    await page.goto(`${server.url}/administration/health`)
    await page.getByRole('region', { name: 'События и вебхуки' }).waitFor()
  })
})

for (const viewport of [DESKTOP, PHONE]) {
  describeInBrowser(`administration, ${viewport.width} wide`, ({ open }) => {
    test('axe finds nothing', async () => {
      const { administrator } = await portal()
      const { server, newcomer } = await world({ bots: 1 })
      const out = await newcomer()
      done(await administrator.patch(`/administration/people/${out.id}`, { disabled: true }))
      const visit: Visit = { viewport, reducedMotion: 'reduce' }
      const page = await visitAdministration(open, administrator, server, '', visit)
      if (viewport === PHONE) await lookAt(page, 'Administration')
      for (const name of SECTIONS) {
        const search = name === 'People' ? `?search=${encodeURIComponent(out.name)}` : ''
        await page.goto(`${server.url}/administration/${name.toLowerCase()}${search}`)
        await lookAt(page, name)
        if (name === 'People') {
          const dialog = await manage(page, out)
          await dialog.getByRole('button', { name: 'Set the password' }).click()
          await dialog.getByText('At least 10 characters').first().waitFor()
          expect(await faultsOf(page), 'PersonDialog').toEqual([])
        }
        if (name === 'Applications') {
          await page.getByRole('button', { name: 'Quotas of' }).first().click()
          await page.getByRole('dialog').getByRole('textbox', { name: 'Writes a minute' }).fill('0')
          await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
          await page.getByText('A whole number').waitFor()
          expect(await faultsOf(page), 'QuotaDialog').toEqual([])
        }
      }
      const refused = await visitAdministration(open, await newcomer(), server, '/people', visit)
      await refused.getByRole('heading', { name: 'For administrators only' }).waitFor()
      expect(await faultsOf(refused), 'the refusal').toEqual([])
    })
  })
}

async function lookAt(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(await faultsOf(page), name).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} fits`).toBe(true)
}
