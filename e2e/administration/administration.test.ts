import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import type { ManagedApplication, OwnChannel } from '@portico/contract'
import type { Locator } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { setUpCode } from '../../server/src/accounts/set-up.ts'
import { Person } from '../../server/test/person.ts'
import { redisProgram } from '../../server/test/redis.ts'
import { startCluster } from '../../server/test/start-cluster.ts'
import { startServer } from '../../server/test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { SECTIONS, visitAdministration } from './administration-visit.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { focused, PHONE, signedOut, tabTo } from '../portal-visit.ts'

describeInBrowser('administration', ({ open }) => {
  test('opens from the menu with the keyboard, and lists every section', async () => {
    const { server, administrator } = await portal()
    const page = await open(server.url, signedIn(server.url, administrator))
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

  test('explains that it is for administrators only, and shows others no link to it', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await visitAdministration(open, person, server, '/people')
    await page.getByRole('heading', { name: 'For administrators only' }).waitFor()
    await page.getByText('You’re not an administrator of this portal.').waitFor()
    await expect.poll(() => page.getByRole('navigation', { name: 'Administration' }).count()).toBe(0)
    await expect.poll(() => page.getByRole('searchbox').count()).toBe(0)

    await page.getByRole('button', { name: person.name }).click()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
  })

  test('lists channels with their owners and sizes, but no messages', async () => {
    const { administrator } = await portal()
    const { server, owner, at } = await channelFixture({ people: 1 })
    const name = `Observatory ${randomBytes(4).toString('hex')}`
    expectOk(await owner.patch(at, { name }))
    const page = await visitAdministration(open, administrator, server, '/channels')
    await page.getByRole('searchbox', { name: 'Search by name' }).fill(name.toUpperCase())
    const row = page.getByRole('list', { name: 'Channels' }).getByRole('listitem')
    await expect.poll(() => row.count()).toBe(1)
    await row.getByText(name).waitFor()
    await row.getByText(`Owner: ${owner.name} · 2 members`).waitFor()
    await row.getByText(/3 rooms · open to everyone/).waitFor()
    await expect.poll(() => row.getByRole('link').count()).toBe(0)
  })

  test('changes an application’s quotas and restores the defaults', async () => {
    const { administrator } = await portal()
    const { server, bots } = await channelFixture({ bots: 1, quotas: 'usual' })
    const { application } = bots[0]
    const managed = async (): Promise<ManagedApplication | undefined> => {
      const path = `/administration/applications?search=${encodeURIComponent(application.name)}`
      const { applications } = expectOk(await administrator.get<{ applications: ManagedApplication[] }>(path))
      return applications.find(({ id }) => id === application.id)
    }
    const page = await visitAdministration(open, administrator, server, '/applications')
    const row = page.getByRole('listitem').filter({ has: page.getByText(application.name, { exact: true }) })
    const button = row.getByRole('button', { name: `Change quotas of ${application.name}` })
    const dialog = page.getByRole('dialog', { name: `Change quotas of ${application.name}` })
    await row.getByText('60 requests, 20 writes per minute').waitFor()
    await button.click()
    const requests = dialog.getByRole('textbox', { name: 'Requests per minute' })
    await requests.fill('many')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Enter a whole number from 1 to 1,000,000.').waitFor()
    await focused(page, requests)
    await requests.fill('1200')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await row.getByText('1,200 requests, 20 writes per minute').waitFor()
    await focused(page, button)

    await page.keyboard.press('Enter')
    await expect.poll(() => requests.inputValue()).toBe('1200')
    await expect.poll(() => dialog.getByRole('textbox', { name: 'Writes per minute' }).inputValue()).toBe('')
    await requests.fill('')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('60 requests, 20 writes per minute').waitFor()
    expect(await managed()).toMatchObject({ limits: { requests: 60, writes: 20 }, limitsSet: false })
  })

  test('renames the portal and closes registration', async () => {
    const server = await startServer()
    const administrator = await new Person(server).setUp(setUpCode(server.services.secret))
    const page = await visitAdministration(open, administrator, server, '/portal')
    const name = page.getByRole('textbox', { name: 'Portal name' })
    await name.fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Use 1–64 characters.').waitFor()
    await focused(page, name)
    await name.fill('Lighthouse')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await expect.poll(() => page.title()).toBe('Portal · Administration · Lighthouse')

    const registration = page.getByRole('switch', { name: 'Anyone can create an account' })
    await expect.poll(() => registration.isChecked()).toBe(true)
    // The switch changes before the server has responded.
    const turn = () =>
      Promise.all([page.waitForResponse((answer) => answer.request().method() === 'PATCH'), registration.click()])
    await turn()
    await expect.poll(() => registration.isChecked()).toBe(false)
    const visitor = await open(`${server.url}/sign-up`, signedOut)
    await visitor.getByRole('heading', { name: 'Registration is closed' }).waitFor()

    await turn()
    await expect.poll(() => registration.isChecked()).toBe(true)
    await visitor.reload()
    await visitor.getByRole('heading', { name: 'Create an account' }).waitFor()
  })

  test('shows sizes and pending deliveries', async () => {
    const { administrator } = await portal()
    const { server, owner, room } = await channelFixture()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Counted at once' }))
    const page = await visitAdministration(open, administrator, server, '/health')
    const fact = (region: string, name: string): Locator =>
      page
        .getByRole('region', { name: region })
        .locator('div')
        .filter({ has: page.getByRole('term').filter({ hasText: name }) })
        .getByRole('definition')
    await expect.poll(() => fact('Sizes', 'Version').textContent()).toBe(server.services.version)
    await expect.poll(() => fact('Sizes', 'Database').textContent()).toMatch(/^\d+(\.\d)? MB$/)
    expect(Number(await fact('Sizes', 'People').textContent())).toBeGreaterThan(1)
    expect(Number(await fact('Sizes', 'Messages').textContent())).toBeGreaterThan(0)
    await expect.poll(() => fact('Events and webhooks', 'Pending deliveries').textContent()).toBe('0')
    await page.getByRole('region', { name: 'Events and webhooks' }).getByText('All systems normal').waitFor()
  })

  test.skipIf(redisProgram === undefined)('shows the nodes of a cluster, and what it lacks', async () => {
    const { nodes, redis, settings } = await startCluster(2)
    const [server] = nodes
    const administrator = await new Person(server).setUp(setUpCode(server.services.secret))
    const page = await visitAdministration(open, administrator, server, '/health')
    const cluster = page.getByRole('region', { name: 'Cluster' })
    await cluster.getByText('Connected').waitFor()
    await expect
      .poll(() => cluster.getByRole('definition').allTextContents())
      .toEqual(['2', 'Connected', expect.stringMatching(/^\d+(\.\d)? ms$/)])
    const delivery = page.getByRole('region', { name: 'Events and webhooks' })
    await delivery.getByText('Off: set up LiveKit').waitFor()
    await delivery.getByText('Folder', { exact: true }).waitFor()
    await redis.kill()
    const folder = settings['FILES_FOLDER'] ?? ''
    await rename(folder, `${folder}-unmounted`)
    onTestFinished(() => rename(`${folder}-unmounted`, folder))
    await page.reload()
    await cluster.getByText('Redis can’t be reached').waitFor()
    await cluster.getByText('Not responding').waitFor()
    await expect.poll(() => server.services.files.isReady).toBe(false)
    await page.reload()
    await delivery.getByText('Files can’t be reached').waitFor()
    await delivery.getByText('Not responding').waitFor()
    await page.getByText('All systems normal').waitFor({ state: 'detached' })
  })

  test('shows the audit log by subject and page by page', async () => {
    const { server, administrator } = await portal()
    const { newPerson } = await channelFixture()
    const [person, gone] = [await newPerson(), await newPerson()]
    const app = `Tide table ${randomBytes(4).toString('hex')}`
    const club = expectOk(await gone.post<OwnChannel>('/channels', { name: `Club of ${gone.name}` }))
    expectOk(await gone.delete(`/channels/${club.id}`, { name: club.name }))
    const { id } = expectOk(await person.post<{ id: string }>('/applications', { name: app }))
    expectOk(await administrator.put(`/applications/${id}/limits`, { requests: 1200, writes: null }))
    expectOk(await administrator.patch(`/administration/people/${person.id}`, { isAdministrator: true }))
    expectOk(await person.patch(`/administration/people/${person.id}`, { isAdministrator: false }))
    expectOk(await administrator.patch(`/administration/people/${gone.id}`, { disabled: true }))
    await server.services.database.kysely
      .insertInto('audit_log')
      .values(
        Array.from({ length: 60 }, (_, index) => ({
          // Older than all other entries, and only about the portal.
          id: `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`,
          action: 'instance.updated',
          details: JSON.stringify({ name: { from: 'Portico', to: `Portal ${index}` } }),
        })),
      )
      .execute()

    const page = await visitAdministration(open, administrator, server, '/audit-log')
    const entries = page.getByRole('list', { name: 'Entries, newest first' }).getByRole('listitem')
    await entries.getByText(`${administrator.name} disabled ${gone.name}’s account`).waitFor()
    await entries.getByText(`${person.name} stepped down as an administrator`).waitFor()
    await entries.getByText(`${administrator.name} made ${person.name} an administrator`).waitFor()
    await entries.getByText(`${gone.name} deleted the channel “${club.name}”`).waitFor()

    const about = page.getByRole('combobox', { name: 'About' })
    await about.selectOption('Applications')
    const limits = entries.filter({ hasText: `${administrator.name} changed the quotas of “${app}”` })
    await limits.getByText('Requests per minute: 1,200').waitFor()
    await limits.getByText('Writes per minute: default').waitFor()
    await expect.poll(() => entries.filter({ hasText: 'stepped down' }).count()).toBe(0)

    await about.selectOption('The portal')
    await entries.getByText('The portal changed the portal settings').first().waitFor()
    await entries.getByText('Name: Portico → Portal 59').waitFor()
    await expect.poll(() => entries.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).focus()
    await page.keyboard.press('Enter')
    await focused(page, entries.nth(50))
    await entries.getByText('Name: Portico → Portal 0').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  })

  test('starts with the list of sections on a phone', async () => {
    const { server, administrator } = await portal()
    const page = await visitAdministration(open, administrator, server, '', { viewport: PHONE })
    await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor()
    const list = page.getByRole('main')
    await list.getByRole('link', { name: /^Health/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor()
  })

  test('is translated into Russian', async () => {
    const { administrator } = await portal()
    const { server, newPerson } = await channelFixture({ bots: 1, quotas: 'usual' })
    const person = await newPerson()
    expectOk(await administrator.patch(`/administration/people/${person.id}`, { disabled: true }))
    const page = await open(`${server.url}/administration/people?search=${encodeURIComponent(person.name)}`, {
      locale: 'ru-RU',
      provokes: [/status of 403/],
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
    await dialog.getByText('Не может войти; боты и сайты этого человека приостановлены. Ничего не удалено.').waitFor()
    await dialog.getByRole('button', { name: 'Закрыть' }).click()
    await page.getByRole('searchbox', { name: 'Поиск' }).fill('никого такого')
    await page.getByText('По запросу «никого такого» ничего не найдено.').waitFor()

    await page.goto(`${server.url}/administration/applications`)
    await page.getByText('В минуту: запросов — 60, записей — 20').first().waitFor()
    await page.goto(`${server.url}/administration/health`)
    await page.getByRole('region', { name: 'События и вебхуки' }).waitFor()
  })
})
