import { randomBytes } from 'node:crypto'
import type { OwnChannel } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { sent } from '../chat/chat-visit.ts'
import { DESKTOP, focused, newMessage, newName, signedOut, tabTo } from '../portal-visit.ts'

describeInBrowser('with the keyboard alone', ({ open }) => {
  test('a new person can sign up, join, write, react and change their settings', async () => {
    const { server, owner } = await channelFixture()
    const club = `Club ${randomBytes(4).toString('hex')}`
    const { id } = expectOk(await owner.post<OwnChannel>('/channels', { name: club, open: true }))
    const [name, password] = [newName(), 'correct horse battery']
    const page = await open(`${server.url}/explore`, { ...signedOut, viewport: DESKTOP })
    const press = (key: string): Promise<void> => page.keyboard.press(key)

    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Create an account' }))
    await press('Enter')
    await page.getByRole('heading', { name: 'Create an account' }).waitFor()
    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await page.keyboard.type(name)
    await tabTo(page, page.getByLabel('Password', { exact: true }))
    await page.keyboard.type(password)
    await press('Enter')

    const join = page.getByRole('button', { name: `Join ${club}` })
    await join.waitFor()
    await tabTo(page, join)
    await press('Enter')
    await page.waitForURL((url) => url.pathname.startsWith(`/c/${id}`))

    await newMessage(page).waitFor()
    await tabTo(page, newMessage(page))
    await page.keyboard.type('Hello from the keys')
    await press('Enter')
    const message = sent(page, 'Hello from the keys')
    await message.waitFor()
    await tabTo(page, message, 'Shift+Tab')
    await press('+')
    await focused(page, page.getByRole('searchbox', { name: 'Search emoji' }))
    await page.keyboard.type('heart')
    await page.getByRole('gridcell').first().waitFor()
    await press('ArrowDown')
    await focused(page, page.getByRole('gridcell').first())
    await press('Enter')
    await message.getByRole('list', { name: 'Reactions' }).getByRole('button', { pressed: true }).waitFor()

    await tabTo(page, page.getByRole('button', { name: new RegExp(`^${name}`) }).first(), 'Shift+Tab')
    await press('Enter')
    await tabTo(page, page.getByRole('link', { name: 'Settings' }))
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await tabTo(page, page.getByRole('textbox', { name: 'Name' }))
    await press('End')
    await page.keyboard.type(' B')
    await press('Enter')
    await page.getByText('Saved').waitFor()
    await tabTo(page, page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Appearance' }))
    await press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Appearance' }).waitFor()
    await tabTo(page, page.getByRole('radio', { name: 'System' }))
    await press('ArrowRight')
    await press('ArrowRight')
    await page.getByRole('radio', { name: 'Dark', checked: true }).waitFor()
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  })
})
