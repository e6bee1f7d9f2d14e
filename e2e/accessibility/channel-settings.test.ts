import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from '../settings/channel-settings-visit.ts'
import { axeViolations } from '../axe-violations.ts'
import { DESKTOP, follow, furnish, PHONE } from '../portal-visit.ts'

const SECTIONS = ['Overview', 'Rooms', 'Roles', 'Members', 'Bans', 'Bots', 'Invitations', 'Audit log'] as const

describeInBrowser('channel settings have no axe violations', ({ open }) => {
  for (const viewport of [DESKTOP, PHONE]) {
    test(`at ${viewport.width} px`, async () => {
      const { server, owner, people, bots, at, channel, newRole } = await channelFixture({ people: 1, bots: 2 })
      const [ada] = people
      await furnish({ owner, at })
      await newRole('Night watch', ['kick_member'])
      for (const bot of bots) {
        expectOk(
          await bot.put('/commands', { commands: [{ name: '/help', description: 'What it can do', usage: null }] }),
        )
      }
      expectOk(await owner.post(`${at}/invitations`, { maxUses: 5 }))
      expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, { durationSec: 600, reason: 'Advertising' }))

      const visit = { viewport, reducedMotion: 'reduce' } as const
      const page = await openSettings(open, { server, channel }, owner, 'overview', visit)
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      for (const section of SECTIONS) {
        await follow(page, `/c/${channel.id}/settings/${section.toLowerCase().replace(' ', '-')}`)
        await page.getByRole('heading', { level: 1, name: section }).waitFor()
        await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
        expect(await axeViolations(page), section).toEqual([])
      }
      await dialogs(page, { url: `${server.url}/c/${channel.id}/settings`, name: ada.name })
    })
  }
})

async function dialogs(page: Page, { url, name }: { url: string; name: string }): Promise<void> {
  await page.goto(`${url}/rooms`)
  await page.getByRole('button', { name: 'Edit leads' }).click()
  await page.getByRole('dialog').waitFor()
  expect(await axeViolations(page)).toEqual([])

  await page.goto(`${url}/members`)
  await page.getByRole('button', { name: `Manage ${name}` }).click()
  await page.getByRole('dialog', { name }).waitFor()
  expect(await axeViolations(page)).toEqual([])

  await page.goto(`${url}/roles`)
  await page.getByRole('checkbox', { name: 'Pin messages: Member' }).check()
  expect(await axeViolations(page)).toEqual([])
  for (const view of ['Room overrides', 'View as role']) {
    await page.getByText(view).click()
    expect(await axeViolations(page), view).toEqual([])
  }
}
