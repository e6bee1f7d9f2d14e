import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Person } from '../../server/test/person.ts'
import type { TestServer } from '../../server/test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { lookFor, manage, visitAdministration } from './administration-visit.ts'
import { axeViolations } from '../axe-violations.ts'
import { describeInBrowser } from '../browser.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { fillIn, focused, follow, SESSION_ENDED, signedOut, signIn } from '../portal-visit.ts'

/** Enough unused accounts for more than one page. */
async function createAccounts(server: TestServer, size: number): Promise<string> {
  const tag = `unused-${randomBytes(4).toString('hex')}`
  await server.services.database.kysely
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

describeInBrowser('administration of people', ({ open }) => {
  test('finds people by name and keeps the query in the URL', async () => {
    const { server, administrator } = await portal()
    const tag = await createAccounts(server, 60)
    const page = await visitAdministration(open, administrator, server, '/people')
    const field = page.getByRole('searchbox', { name: 'Search by name' })
    const rows = page.getByRole('list', { name: 'People' }).getByRole('listitem')
    await field.fill(tag)
    await page.waitForURL((url) => url.searchParams.get('search') === tag)
    await focused(page, field)

    await expect.poll(() => rows.filter({ hasText: tag }).count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).focus()
    await page.keyboard.press('Enter')
    await focused(page, rows.nth(50))
    await expect.poll(() => rows.count()).toBe(60)
    await expect.poll(() => page.getByRole('button', { name: 'Show more' }).count()).toBe(0)

    await page.reload()
    await expect.poll(() => rows.filter({ hasText: tag }).count()).toBe(50)
    await expect.poll(() => field.inputValue()).toBe(tag)
    await field.fill(`${tag} nobody`)
    await page.getByText(`No results for “${tag} nobody”.`).waitFor()

    await page.getByRole('navigation', { name: 'Administration' }).getByRole('link', { name: 'People' }).click()
    await rows.first().waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(new URL(page.url()).search).toBe('')
  })

  test('shows new and disabled accounts live', async () => {
    const { server, administrator } = await portal()
    const name = `Late ${randomBytes(6).toString('hex')}`
    const path = `/people?search=${encodeURIComponent(name)}`
    const page = await visitAdministration(open, administrator, server, path)
    await page.getByText(`No results for “${name}”.`).waitFor()
    const person = await new Person(server, name).signUp()
    const row = page.getByRole('listitem').filter({ has: page.getByText(name, { exact: true }) })
    expectOk(await administrator.patch(`/administration/people/${person.id}`, { disabled: true }))
    await row.getByText('Disabled').waitFor()
  })

  test('makes someone an administrator and removes them as administrator', async () => {
    const { newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await lookFor(open, person)
    const row = page.getByRole('listitem').filter({ hasText: person.name })
    const dialog = await manage(page, person)
    // The dialog has a field for a new password, but must not focus it.
    await focused(page, dialog.getByRole('button', { name: 'Close' }))
    await dialog.getByRole('button', { name: 'Make administrator' }).click()
    await dialog.getByRole('button', { name: 'Remove as administrator' }).waitFor()
    await dialog.getByText('Done').waitFor()
    expect((await person.get('/administration/health')).status).toBe(200)
    await page.keyboard.press('Escape')
    await row.getByText('Administrator').waitFor()
    await focused(page, page.getByRole('button', { name: `Manage ${person.name}` }))

    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Remove as administrator' }).click()
    await dialog.getByRole('button', { name: 'Make administrator' }).waitFor()
    expect((await person.get('/administration/health')).status).toBe(403)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await row.getByText('Administrator').waitFor({ state: 'detached' })
  })

  test('keeps the last administrator, and one who steps down leaves the page', async () => {
    const { administrator } = await portal()
    const { server, newPerson } = await channelFixture()
    const last = await lookFor(open, administrator, { provokes: [/status of 422/] })
    const dialog = await manage(last, administrator)
    await dialog.getByRole('button', { name: 'Remove as administrator' }).click()
    await dialog.getByText('This is the last administrator. Make someone else an administrator first.').waitFor()
    await expect.poll(() => dialog.getByText('Done').count()).toBe(0)

    const second = await newPerson()
    expectOk(await administrator.patch(`/administration/people/${second.id}`, { isAdministrator: true }))
    const path = `/people?search=${encodeURIComponent(second.name)}`
    // Until the dialog is closed, the page reads the list again from time to time.
    const excuses = [/status of 403 .*\/administration\/people/]
    const page = await visitAdministration(open, second, server, path, { excuses })
    const own = await manage(page, second)
    await own.getByRole('button', { name: 'Remove as administrator' }).click()
    await own.getByRole('button', { name: 'Make administrator' }).waitFor()
    await own.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'For administrators only' }).waitFor()
    await page.getByRole('navigation', { name: 'Administration' }).waitFor({ state: 'detached' })
  })

  test('disables an account, shows the person why, and enables it again', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const theirs = await open(`${server.url}/settings/profile`, {
      ...signedIn(server.url, person),
      provokes: [/status of 403/],
      excuses: [SESSION_ENDED],
    })
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()

    const page = await lookFor(open, person)
    const dialog = await manage(page, person)
    await dialog.getByText('Can sign in.').waitFor()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByText(/Nothing was deleted\./).waitFor()

    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(theirs, person)
    await theirs.getByText('An administrator disabled this account.').waitFor()

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

  test('creates a reset link with which a person who forgot their password chooses a new one', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const theirs = await open(`${server.url}/sign-in`, { ...signedOut, provokes: [/status of 422/] })
    await theirs.getByRole('link', { name: 'Forgot your password?' }).click()
    await theirs.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    await theirs.getByText('Ask an administrator for a reset link.').waitFor()
    await theirs.getByRole('link', { name: 'Back to sign-in' }).click()
    await theirs.getByRole('heading', { name: 'Sign in' }).waitFor()

    const page = await lookFor(open, person)
    const dialog = await manage(page, person)
    await dialog.getByRole('button', { name: 'Create reset link' }).click()
    await dialog.getByText('it’s shown only once').waitFor()
    const made = await dialog.getByRole('textbox', { name: 'Reset link' }).inputValue()
    const url = `${server.url}/reset-password${new URL(made).hash}`

    await theirs.goto(url)
    await theirs.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await theirs.getByText(`For ${person.name}.`).waitFor()
    await theirs.getByRole('button', { name: 'Save and sign in' }).click()
    await theirs.getByText('Choose a password.').waitFor()
    expect(await axeViolations(theirs)).toEqual([])
    await theirs.getByLabel('New password', { exact: true }).fill('something new entirely')
    await theirs.keyboard.press('Enter')
    await theirs.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect((await person.get('/session')).status).toBe(204)

    await theirs.goto(url)
    await theirs.reload()
    await theirs.getByRole('heading', { name: 'This reset link no longer works' }).waitFor()
    expect(await axeViolations(theirs)).toEqual([])
    await page.keyboard.press('Escape')
    await follow(page, '/administration/audit-log')
    await page.getByText(`${person.name} chose a new password with a reset link`).waitFor()
  })

  test('ends all of a person’s sessions and resets their password', async () => {
    const { server, newPerson } = await channelFixture()
    const person = await newPerson()
    const page = await lookFor(open, person)
    const dialog = await manage(page, person)
    await dialog.getByRole('button', { name: 'End all sessions' }).click()
    await dialog.getByText('Done').waitFor()
    expect((await person.get('/session')).status).toBe(204)

    const field = dialog.getByLabel('New password', { exact: true })
    await dialog.getByRole('button', { name: 'Set password' }).click()
    await dialog.getByText('Choose a password.').waitFor()
    await focused(page, field)
    await field.fill('short')
    await dialog.getByText('Done').waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Set password' }).click()
    await dialog.getByText('Use at least 10 characters. This has 5.').waitFor()
    await focused(page, field)
    await field.fill('something new entirely')
    await page.keyboard.press('Enter')
    await dialog.getByText('Done').waitFor()
    await expect.poll(() => field.inputValue()).toBe('')

    const theirs = await open(`${server.url}/settings/profile`, { ...signedOut, provokes: [/status of 401/] })
    await signIn(theirs, person)
    await theirs.getByText('Wrong name or password.').waitFor()
    await fillIn(theirs, { name: person.name, password: 'something new entirely' })
    await theirs.getByRole('button', { name: 'Sign in' }).click()
    await theirs.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
  })
})
