import { readFile } from 'node:fs/promises'
import type { Account, OwnChannel } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { Person } from '../../server/test/person.ts'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { samplePicture } from '../chat/sample-picture.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, focused, follow, PHONE, SESSION_ENDED, signedOut, signIn, tabTo } from '../portal-visit.ts'

const SECTIONS = [
  'Profile',
  'Appearance',
  'Notifications',
  'Sessions',
  'Password',
  'Websites',
  'Keyboard',
  'Your data',
] as const

async function visitSettings(open: Visitor['open'], person: Person, server: { url: string }, path = '', visit = {}) {
  return open(`${server.url}/settings${path}`, { ...signedIn(server.url, person), ...visit })
}

describeInBrowser('personal settings', ({ open }) => {
  test('open from the menu with the keyboard, and list every section', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(server.url, signedIn(server.url, owner))
    const menu = page.getByRole('button', { name: owner.name }).first()
    await menu.waitFor()
    await tabTo(page, menu)
    await page.keyboard.press('Enter')
    await tabTo(page, page.getByRole('link', { name: 'Settings' }))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await page.getByRole('link', { name: 'Settings' }).waitFor({ state: 'hidden' })

    const list = page.getByRole('navigation', { name: 'Settings' })
    for (const name of SECTIONS) {
      await list.getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(await page.title()).toBe(`${name} · Settings · Portico`)
    }
    await list.getByRole('link', { name: 'Back to channels' }).click()
    await page.waitForURL(/\/c\//)
  })

  test('set a picture that is shown everywhere and the name, and say what can’t be used', async () => {
    const { server, owner, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await visitSettings(open, person, server, '/profile', { provokes: [/status of 400/, /status of 422/] })
    const field = page.getByRole('group', { name: 'Your picture' })

    await field.getByLabel('Your picture').setInputFiles(await samplePicture())
    await field.getByRole('button', { name: 'Remove' }).waitFor()
    const block = page.getByRole('region', { name: 'You' }).locator('img')
    await expect.poll(() => block.getAttribute('src')).toBe(`/media/avatars/${person.id}.webp?v=2`)

    await field.getByRole('button', { name: 'Remove' }).click()
    await field.getByRole('button', { name: 'Upload a picture' }).waitFor()
    await block.waitFor({ state: 'detached' })

    const choice = field.getByLabel('Your picture')
    await choice.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('no') })
    await field.getByText('This file can’t be used.').waitFor()
    await choice.setInputFiles({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') })
    await field.getByText('This file can’t be used.').waitFor()
    const large = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(9 * 1024 * 1024) }
    await choice.setInputFiles(large)
    await field.getByText('at most 8 MB').waitFor()

    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill(owner.name)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This name is taken.').waitFor()
    await focused(page, name)

    await name.fill(`${person.name} the Second`.slice(0, 32))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    await page.getByRole('button', { name: `${person.name} the Second`.slice(0, 32) }).waitFor()
  })

  test('apply theme and language immediately', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await visitSettings(open, person, server, '/appearance')
    await page.getByRole('main').getByRole('radio', { name: 'Dark' }).check()
    await page.locator('html[data-theme="dark"]').waitFor()
    await page.getByRole('main').getByText('Русский').click()
    await page.getByRole('heading', { level: 1, name: 'Оформление' }).waitFor()
    const savedAccount = async () => expectOk(await person.get<{ account: Account }>('/session')).account
    await expect.poll(savedAccount).toMatchObject({ theme: 'dark', locale: 'ru' })
  })

  test('end other sessions, one and all', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const other = await person.signInElsewhere()
    const page = await open(`${server.url}/settings/sessions`, signedOut)
    await signIn(page, person)
    const others = page.getByRole('list', { name: 'Other devices' })
    await others.getByRole('button', { name: 'End session: Firefox on Windows' }).click()
    await others.getByText('Firefox on Windows').waitFor({ state: 'detached' })
    expect((await other.get('/session')).status).toBe(204)

    await page.getByRole('button', { name: 'End all other sessions' }).click()
    const confirmation = page.getByRole('dialog', { name: 'End all other sessions?' })
    await confirmation.getByRole('button', { name: 'End all other sessions' }).click()
    await page.getByText('You aren’t signed in anywhere else.').waitFor()
    expect((await person.get('/session')).status).toBe(204)
    await page.reload()
    await page.getByText('This session').waitFor()
  })

  test('change the password', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await visitSettings(open, person, server, '/password', {
      provokes: [/status of 400/],
    })
    const current = page.getByLabel('Current password', { exact: true })
    const next = page.getByLabel('New password', { exact: true })
    await current.fill('not my password')
    await next.fill('a better battery horse')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Wrong password.').waitFor()
    await focused(page, current)

    await current.fill(person.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText(/^Password changed\./).waitFor()
    await expect.poll(() => current.inputValue()).toBe('')
    const again = { name: person.name, password: 'a better battery horse' }
    expect((await new Person(server).post('/sessions', again)).status).toBe(201)
  })

  test('list websites with what each can see, and remove access in one click', async () => {
    const { server, owner, newPerson, newBot } = await channelFixture()
    const person = await newPerson()
    const { application } = await newBot()
    expectOk(
      await owner.put(`/applications/${application.id}/oauth`, { redirectUri: 'https://fleet.example/signed-in' }),
    )
    await server.services.database.kysely
      .insertInto('consents')
      .values({
        account_id: person.id,
        application_id: application.id,
        scopes: ['service.identify', 'service.channels.read'],
      })
      .execute()

    const page = await visitSettings(open, person, server, '/websites')
    const given = page.getByRole('list', { name: 'Connected websites' })
    await given.getByText(`fleet.example, by ${owner.name}`).waitFor()
    await given.getByText('Can see: your name and picture, the list of your channels').waitFor()
    await given.getByText('never used').waitFor()
    await given.getByRole('button', { name: `Remove access for ${application.name}` }).click()
    await page.getByRole('heading', { name: 'No websites yet' }).waitFor()
  })

  test('export all data in one file, and delete the account: channels first, then with the password', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const club = expectOk(await person.post<OwnChannel>('/channels', { name: 'Book club' }))
    const page = await visitSettings(open, person, server, '/data', {
      provokes: [/status of 400/],
      excuses: [SESSION_ENDED],
    })
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('portico-data.json')
    const text = await readFile(await download.path(), 'utf8')
    expect(JSON.parse(text)).toMatchObject({ account: { id: person.id }, messages: [] })

    await page.getByRole('button', { name: 'Delete…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
    await dialog.getByRole('link', { name: 'Book club' }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    expectOk(await person.delete(`/channels/${club.id}`, { name: 'Book club' }))

    await page.getByRole('button', { name: 'Delete…' }).click()
    await dialog.getByLabel('Password', { exact: true }).fill('wrong password')
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await dialog.getByText('Wrong password.').waitFor()
    await dialog.getByLabel('Password', { exact: true }).fill(person.password)
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect((await person.get('/session')).status).toBe(204)
  })
})

for (const viewport of [DESKTOP, PHONE]) {
  describeInBrowser(`personal settings at ${viewport.width} px`, ({ open }) => {
    test(`${viewport === PHONE ? 'start with the list of sections, and ' : ''}have no axe violations`, async () => {
      const visit: Visit = { viewport, reducedMotion: 'reduce' }
      const { server, newPerson } = await channelFixture()
      const person = await newPerson()
      await person.signInElsewhere()
      const page = await visitSettings(open, person, server, '', visit)
      if (viewport === PHONE) {
        await lookAt(page, 'Settings')
        await page
          .getByRole('main')
          .getByRole('link', { name: /^Sessions/ })
          .click()
        await page.getByRole('heading', { level: 1, name: 'Sessions' }).waitFor()
        await page.goBack()
        await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
      }
      for (const [name, path] of SECTIONS.map((name) => [name, name === 'Your data' ? 'data' : name.toLowerCase()])) {
        await follow(page, `/settings/${path}`)
        await lookAt(page, name ?? '')
      }
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('button', { name: 'Delete permanently' }).click()
      await page.getByText('Enter your password.').waitFor()
      expect(await axeViolations(page)).toEqual([])
    })
  })
}

async function lookAt(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(await axeViolations(page), name).toEqual([])
}
