import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { OAuthState } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../server/test/free-port.ts'
import type { Person } from '../../server/test/person.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser, type Visit } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { DESKTOP, PHONE, signIn, tabTo } from '../portal-visit.ts'

const program = join(import.meta.dirname, '../../examples/sign-in-website.ts')

/** Browsers are redirected to the portal's PUBLIC_URL, so it must be a real address here. */
const address = freePort().then(async (port) => {
  const PUBLIC_URL = `http://127.0.0.1:${port}`
  await portal({ PORT: String(port), PUBLIC_URL })
  return PUBLIC_URL
})

interface Connected {
  readonly oauth: OAuthState
  readonly clientSecret: string
}

/** An application with sign-in, and the example website that signs people in with it. */
async function website() {
  const url = await address
  const made = await channelFixture({ people: 1 })
  const port = await freePort()
  const site = `http://localhost:${port}`
  const { id } = expectOk(await made.owner.post<{ id: string }>('/applications', { name: 'Fleet' }))
  const oauth = `/applications/${id}/oauth`
  const connected = expectOk(await made.owner.put<Connected>(oauth, { redirectUri: `${site}/signed-in` }))
  const settings = {
    PORTICO_URL: url,
    PORT: String(port),
    CLIENT_ID: connected.oauth.clientId,
    CLIENT_SECRET: connected.clientSecret,
  }
  const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], ...settings } })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => {
      throw new Error(`the example ended: ${said}`)
    }),
  ])
  const [person] = made.people
  const visit = { alsoHosts: [new URL(url).host, new URL(site).host], locale: 'en-GB' } satisfies Visit
  return { ...made, url, site, person, visit, oauth, applicationId: id, clientId: connected.oauth.clientId }
}

/** Starts at the website, signs in, and stops at the consent page. */
async function comeIn(page: Page, person: Person): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Portico' }).click()
  await page.getByLabel('Name', { exact: true }).waitFor()
  await signIn(page, person)
  await page.getByRole('heading', { level: 1, name: 'Sign in to Fleet?' }).waitFor()
}

describeInBrowser('the example website', ({ open }) => {
  test('signs a person in, and shows name, picture and channels', async () => {
    const { site, person, owner, visit, channel, oauth, applicationId } = await website()
    const page = await open(site, visit)
    await comeIn(page, person)
    await expect.poll(() => page.getByText(`A website by ${owner.name}`).isVisible()).toBe(true)
    await expect.poll(() => page.getByText(person.name).isVisible()).toBe(true)
    await expect
      .poll(() => page.getByRole('list', { name: 'Fleet will see' }).getByRole('listitem').allInnerTexts())
      .toEqual([
        'A signed proof of your identity',
        'Your name, picture and permanent id, but no email address',
        'The list of your channels, and your role in each',
      ])
    await expect.poll(() => page.getByText(new URL(site).host, { exact: true }).isVisible()).toBe(true)
    // The only ways out are the two buttons and another account.
    await expect.poll(() => page.getByRole('link').count()).toBe(0)

    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText(`Hello, ${person.name}!`).waitFor()
    expect(new URL(page.url()).origin).toBe(site)
    await page
      .getByRole('listitem')
      .filter({ hasText: `${channel.name} (Member)` })
      .waitFor()
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1)
    const width = () => page.locator('img').evaluate((image) => image instanceof HTMLImageElement && image.naturalWidth)
    await expect.poll(width).toBeGreaterThan(0)

    // The next time there is no consent page.
    await page.getByRole('link', { name: 'Sign out' }).click()
    await page.getByRole('link', { name: 'Sign in with Portico' }).click()
    await page.getByText(`Hello, ${person.name}!`).waitFor()
    expect(expectOk(await owner.get<{ oauth: OAuthState }>(oauth)).oauth.people).toBe(1)

    // After access is removed, the website has to ask for consent again.
    expectOk(await person.delete(`/account/consents/${applicationId}`))
    await page.reload()
    await page.getByRole('link', { name: 'Sign in with Portico' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
  })

  test('receives an error when the person denies access, and the account that they switch to', async () => {
    const { site, person, owner, visit, channel } = await website()
    const page = await open(site, { ...visit, provokes: [/status of 400/] })
    await comeIn(page, owner)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Not signed in: access_denied').waitFor()
    expect(new URL(page.url()).origin).toBe(site)
    expect(expectOk(await owner.get('/account/consents'))).toEqual({ consents: [] })

    await page.goto(site)
    await page.getByRole('link', { name: 'Sign in with Portico' }).click()
    await page.getByRole('button', { name: 'Switch account' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    await signIn(page, person)
    await page.getByText(person.name).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText(`Hello, ${person.name}!`).waitFor()
    await expect.poll(() => page.getByRole('listitem').allInnerTexts()).toEqual([`${channel.name} (Member)`])
  })

  test('can be reached with the keyboard alone, even on a phone', async () => {
    const { site, person, visit } = await website()
    const page = await open(site, { ...visit, viewport: PHONE })
    await tabTo(page, page.getByRole('link', { name: 'Sign in with Portico' }))
    await page.keyboard.press('Enter')
    await page.getByLabel('Name', { exact: true }).waitFor()
    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await page.keyboard.type(person.name)
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(person.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Sign in to Fleet?' }).waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Switch account' }))
    await tabTo(page, page.getByRole('button', { name: 'Deny' }))
    await tabTo(page, page.getByRole('button', { name: 'Allow' }))
    await page.keyboard.press('Enter')
    await page.getByText(`Hello, ${person.name}!`).waitFor()
  })

  test('uses the person’s language', async () => {
    const { site, person, visit } = await website()
    const page = await open(site, { ...visit, locale: 'ru-RU' })
    await page.getByRole('link', { name: 'Sign in with Portico' }).click()
    await page.getByLabel('Имя', { exact: true }).fill(person.name)
    await page.getByLabel('Пароль', { exact: true }).fill(person.password)
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByRole('heading', { level: 1, name: 'Войти на сайт «Fleet»?' }).waitFor()
    await page.getByRole('button', { name: 'Разрешить' }).click()
    await page.getByText(`Hello, ${person.name}!`).waitFor()
  })

  test('asks a person to sign in again or to choose another account, and returns them', async () => {
    const { site, owner, person, visit, url, clientId, server } = await website()
    const authorize = (prompt: string): string => {
      const query = { client_id: clientId, response_type: 'code', scope: 'openid profile', prompt }
      return `${url}/oauth/authorize?${new URLSearchParams({ ...query, redirect_uri: `${site}/signed-in` }).toString()}`
    }
    const page = await open(`${url}/sign-in`, { ...visit, provokes: [/status of 400/] })
    await signIn(page, person)
    await page.getByRole('button', { name: `${person.name} Your menu` }).waitFor()
    // They signed in an hour ago.
    const created_at = new Date(Date.now() - 3_600_000).toISOString()
    const { kysely } = server.services.database
    await kysely.updateTable('sessions').set({ created_at }).where('account_id', '=', person.id).execute()
    await page.goto(authorize('login'))
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
    await page.getByRole('button', { name: 'Sign in again' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    await signIn(page, person)
    await page.getByRole('button', { name: 'Allow' }).click()
    // The website rejects a sign-in that it did not start.
    await page.getByText('Not signed in').waitFor()

    await page.goto(authorize('select_account'))
    await page.getByRole('heading', { name: 'Choose an account' }).waitFor()
    await page.getByText(person.name, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Use another account' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'Sign in to Fleet?' }).waitFor()
    await page.getByText(owner.name, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByText('Not signed in').waitFor()
  })

  test('shows an error page without a redirect for an invalid request, and no axe violations', async () => {
    const { site, person, url, clientId, visit } = await website()
    const page = await open(site, {
      ...visit,
      viewport: DESKTOP,
      provokes: [/status of 400/, /status of 422/],
    })
    const lookAtBothWidths = async () => {
      for (const viewport of [PHONE, DESKTOP]) {
        await page.setViewportSize(viewport)
        expect(await axeViolations(page)).toEqual([])
      }
    }
    await comeIn(page, person)
    await lookAtBothWidths()

    const query = new URLSearchParams({ client_id: clientId, response_type: 'code', scope: 'openid' })
    query.set('redirect_uri', 'https://evil.example/<script>')
    await page.goto(`${url}/oauth/authorize?${query.toString()}`)
    await page.getByRole('heading', { name: 'You can’t sign in to this website' }).waitFor()
    await page.getByText('For the developer').click()
    await expect.poll(() => page.getByText('invalid_redirect_uri').isVisible()).toBe(true)
    await expect.poll(() => page.getByRole('link').count()).toBe(0)
    expect(new URL(page.url()).origin).toBe(url)
    await lookAtBothWidths()

    await page.goto(`${url}/oauth/interaction/gone`)
    await page.getByRole('heading', { name: 'This sign-in has expired' }).waitFor()
  })
})
