import type { Invitation } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser, type Visit, type Visitor } from '../browser.ts'
import { axeViolations } from '../axe-violations.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { DESKTOP, furnish, PHONE, signedOut } from '../portal-visit.ts'

for (const viewport of [DESKTOP, PHONE]) {
  describeInBrowser(`no axe violations at ${viewport.width} px`, ({ open }) => {
    lookForFaults(open, { viewport, reducedMotion: 'reduce' })
  })
}

function lookForFaults(open: Visitor['open'], visit: Visit): void {
  test('on the sign-in pages', async () => {
    const { server, owner, at } = await channelFixture()
    const { code } = expectOk(await owner.post<Invitation>(`${at}/invitations`, {}))
    const page = await open(`${server.url}/sign-in`, { ...signedOut, ...visit })
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Enter your name.').waitFor()
    expect(await axeViolations(page)).toEqual([])

    for (const [path, heading] of [
      ['/sign-up', 'Create an account'],
      ['/forgot-password', 'Forgot your password?'],
      [`/invite/${code}`, 'Ateliers'],
      ['/set-up', 'All set up'],
      ['/no/such/page', 'Page not found'],
    ] as const) {
      await page.goto(server.url + path)
      await page.getByRole('heading', { name: heading }).waitFor()
      expect(await axeViolations(page)).toEqual([])
    }
  })

  test('in the shell', async () => {
    const { server, owner, at, channel, room } = await channelFixture()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/${room.id}`, { ...signedIn(server.url, owner), ...visit })
    await page.getByRole('heading', { level: 1, name: 'workshop' }).waitFor()
    if (visit.viewport === PHONE) await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('navigation', { name: 'Rooms' }).getByRole('link', { name: 'plans' }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await page.getByRole('button', { name: owner.name }).first().click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Create a channel' }).click()
    const dialog = page.getByRole('dialog', { name: 'New channel' })
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Enter a channel name.').waitFor()
    expect(await axeViolations(page)).toEqual([])

    await page.goto(`${server.url}/explore`)
    await page.getByRole('heading', { level: 2, name: 'Ateliers' }).first().waitFor()
    expect(await axeViolations(page)).toEqual([])
  })

  test('without any channel', async () => {
    const { server, newPerson } = await channelFixture()
    const page = await open(server.url, { ...signedIn(server.url, await newPerson()), ...visit })
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    await page.getByRole('heading', { level: 3 }).first().waitFor()
    expect(await axeViolations(page)).toEqual([])
  })
}
