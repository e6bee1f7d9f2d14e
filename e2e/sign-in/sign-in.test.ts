import type { Invitation } from '@portico/contract'
import { expect, test } from 'vitest'
import { setUpCode } from '../../server/src/accounts/set-up.ts'
import { startServer } from '../../server/test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { fillIn, focused, newName, SESSION_ENDED, signedOut, signIn } from '../portal-visit.ts'

describeInBrowser('signing in', ({ open }) => {
  test('returns a new person to the requested page after sign-up', async () => {
    const { server, channel, room } = await channelFixture()
    const address = `/c/${channel.id}/${room.id}`
    const page = await open(server.url + address, signedOut)

    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await page.getByText('You’ll sign in with this name, and others will see it.').waitFor()
    await fillIn(page, { name: newName(), password: 'correct horse battery' })
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Channel not found' }).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(address)
  })

  test('keeps the URL with its query through sign-in, and replaces the form in the history', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}?from=mail`, signedOut)

    await signIn(page, owner)

    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    expect(page.url()).toBe(`${server.url}/c/${channel.id}/${room.id}?from=mail`)
    await page.goto(`${server.url}/sign-in`)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })

  test('shows an error below its field and focuses it', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/sign-up`, signedOut)
    const name = page.getByRole('textbox', { name: 'Name' })
    const password = page.getByRole('textbox', { name: 'Password' })

    await name.fill('A')
    await password.fill('short')
    await page.getByRole('button', { name: 'Create an account' }).click()

    await page.getByText('Use 2–32 characters.').waitFor()
    await focused(page, name)
    const described = await password.getAttribute('aria-describedby')
    expect(described).not.toBeNull()
    await page
      .locator(`[id="${described?.split(' ')[0]}"]`, { hasText: 'Use at least 10 characters. This has 5.' })
      .waitFor()

    await name.fill('Ada')
    await page.keyboard.press('Enter')
    await focused(page, password)
    await expect.poll(() => name.getAttribute('aria-invalid')).toBeNull()
  })

  test('explains a refusal in the page’s language', async () => {
    const { server, owner } = await channelFixture()
    const page = await open(`${server.url}/sign-in`, { locale: 'ru-RU', provokes: [/status of 401/, /status of 422/] })

    await page.getByLabel('Имя', { exact: true }).fill(owner.name)
    await page.getByLabel('Пароль', { exact: true }).fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('Неверное имя или пароль.').waitFor()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ru')

    await page.getByRole('link', { name: 'Создать учётную запись' }).click()
    await page.getByRole('heading', { name: 'Новая учётная запись' }).waitFor()
    await page.getByLabel('Имя', { exact: true }).fill(owner.name)
    await page.getByLabel('Пароль', { exact: true }).fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.getByText('Это имя занято. Выберите другое.').waitFor()
    await page.getByText('English').click()
    await page.getByText('This name is taken. Try another one.').waitFor()
  })

  test('creates the first administrator from the printed link', async () => {
    const server = await startServer()
    const page = await open(`${server.url}/`, { ...signedOut, provokes: [/status of 403/] })
    // There is no account to sign in with.
    await page.getByRole('heading', { name: 'Set up your portal' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/set-up')
    await page.getByLabel('Set-up code').fill('not the code')
    await fillIn(page, { name: 'Ada Novak', password: 'correct horse battery' })
    await page.keyboard.press('Enter')
    await page.getByText('That isn’t the code the server printed.').waitFor()

    await page.goto(`${server.url}/set-up?code=${setUpCode(server.services.secret)}`)
    await fillIn(page, { name: 'Ada Novak', password: 'correct horse battery' })
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByText('Administrator').waitFor()
    await page.goto(`${server.url}/set-up`)
    await page.getByRole('heading', { name: 'All set up' }).waitFor()
  })

  test('accepts an invitation with a new or an existing account', async () => {
    const { server, owner, at, channel, newPerson } = await channelFixture()
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    const inside = `/c/${channel.id}/`

    const fresh = await open(`${server.url}/invite/${code}`, signedOut)
    await fresh.getByRole('heading', { name: channel.name }).waitFor()
    await fillIn(fresh, { name: newName(), password: 'correct horse battery' })
    await fresh.keyboard.press('Enter')
    await fresh.waitForURL((url) => url.pathname.startsWith(inside))

    const known = await open(`${server.url}/invite/${code}`, signedOut)
    await known.getByRole('link', { name: 'Sign in' }).click()
    await known.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(known, await newPerson())
    await known.getByRole('button', { name: `Join ${channel.name}` }).click()
    await known.waitForURL((url) => url.pathname.startsWith(inside))
  })

  test('says when an invitation no longer works', async () => {
    const { server } = await portal()
    const page = await open(`${server.url}/invite/long-gone-code`, {
      ...signedOut,
      provokes: [/status of 422/],
    })
    await page.getByRole('heading', { name: 'This invitation no longer works' }).waitFor()
  })

  test('asks to sign in again when the session ended elsewhere, and returns to the page', async () => {
    const { server, owner, channel, room } = await channelFixture()
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedOut, excuses: [SESSION_ENDED] })
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()

    await page.context().clearCookies()
    await page.reload()

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await signIn(page, owner)
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
  })
})
