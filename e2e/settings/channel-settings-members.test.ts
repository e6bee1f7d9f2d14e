import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from './channel-settings-visit.ts'
import { holdUnmute } from '../voice/hold-unmute.ts'

describeInBrowser('channel settings', ({ open }) => {
  test('members: can be found, renamed, given roles, muted and removed', async () => {
    const { server, owner, people, channel, newRole } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    await newRole('Watch', [])
    const page = await openSettings(open, { server, channel }, owner, 'members')
    await page.getByRole('searchbox', { name: 'Find members' }).fill(ada.name)
    await page.getByText('1 member', { exact: true }).waitFor()
    await page.getByRole('button', { name: `Manage ${ada.name}` }).click()

    const card = page.getByRole('dialog', { name: ada.name })
    await card.getByRole('checkbox', { name: 'Watch' }).check()
    await card.getByRole('combobox', { name: 'Base role' }).selectOption('Moderator')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Mute in chat', exact: true }).click()
    await card.getByRole('textbox', { name: /reason/i }).fill('Advertising')
    await card.getByRole('button', { name: 'Mute', exact: true }).click()
    await card.getByText(/^Muted in chat until/).waitFor()
    await page.keyboard.press('Escape')
    const row = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
    await row.getByText(/^Muted in chat until/).waitFor()
    await row.getByText('Watch').waitFor()

    await page.getByRole('searchbox', { name: 'Find members' }).fill(boris.name)
    await page.getByRole('button', { name: `Manage ${boris.name}` }).click()
    const other = page.getByRole('dialog', { name: boris.name })
    await other.getByRole('button', { name: 'Remove from channel' }).click()
    await other.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('heading', { name: 'No matching members' }).waitFor()
  })

  test('members: the form that was chosen before an unmute was answered stays open', async () => {
    const { server, owner, people, channel, at } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.put(`${at}/members/${ada.id}/chat-mute`, {}))
    const page = await openSettings(open, { server, channel }, owner, 'members')
    await page.getByRole('button', { name: `Manage ${ada.name}` }).click()
    const card = page.getByRole('dialog', { name: ada.name })
    const answer = await holdUnmute(page)
    await card.getByRole('button', { name: 'Unmute in chat' }).click()
    await card.getByRole('button', { name: 'Change nickname' }).click()
    await card.getByRole('textbox', { name: 'Nickname' }).fill('Countess')
    await answer()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Countess' }).waitFor()
  })

  test('members: going back from a member dialog is not undone when it closes', async () => {
    const { server, owner, people, channel } = await channelFixture({ people: 1 })
    const [ada] = people
    const page = await openSettings(open, { server, channel }, owner, 'roles')
    const sections = page.getByRole('navigation', { name: 'Channel settings' })
    await sections.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('button', { name: `Manage ${ada.name}` }).click()
    await page.getByRole('dialog', { name: ada.name }).waitFor()

    await page.goBack()
    await page.getByRole('heading', { name: 'Roles', exact: true }).waitFor()
    await sections.getByRole('link', { name: 'Bots' }).click()
    await page.getByRole('heading', { name: 'Bots', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Roles', exact: true }).waitFor()
  })

  test('bots: have a role, list their commands and can be removed', async () => {
    const { server, owner, channel, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const page = await openSettings(open, { server, channel }, owner, 'bots')
    await page.getByRole('combobox', { name: `${bot.application.name}’s role` }).waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Commands' }).count()).toBe(0)

    await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploy a build', usage: '<service>' }] })
    await page.getByRole('rowheader', { name: '/deploy' }).waitFor()
    await page.getByRole('combobox', { name: `${bot.application.name}’s role` }).selectOption('Moderator')
    await page.getByText(`${bot.application.name} now has the role Moderator.`).waitFor({ state: 'attached' })

    await page.getByRole('textbox', { name: 'Install link or application id' }).fill('Shipyard')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('That doesn’t contain an application id.').waitFor()

    await page.getByRole('button', { name: `Remove ${bot.application.name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No bots here yet' }).waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Commands' }).count()).toBe(0)
  })

  test('bots: a note says that two bots answer a shared command', async () => {
    const { server, owner, channel, bots } = await channelFixture({ bots: 2 })
    const [first, second] = bots
    const page = await openSettings(open, { server, channel }, owner, 'bots')
    for (const bot of bots)
      await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploy', usage: null }] })
    await page.getByText('Some bots share a command, and each of them answers it.', { exact: false }).waitFor()
    for (const [bot, other] of [
      [first, second],
      [second, first],
    ] as const) {
      const row = page.getByRole('row').filter({ hasText: `Also declared by ${other.name}` })
      await row.getByRole('cell', { name: bot.name }).waitFor()
    }
  })

  test('invitations: can be created with limits, copied and revoked', async () => {
    const { server, owner, channel } = await channelFixture()
    const page = await openSettings(open, { server, channel }, owner, 'invitations', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await page.getByRole('heading', { name: 'No links yet' }).waitFor()
    await page.getByRole('combobox', { name: 'Expires after' }).selectOption('1 day')
    await page.getByRole('combobox', { name: 'Maximum uses' }).selectOption('5 uses')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('0 of 5 joined').waitFor()
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor({ state: 'attached' })
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/invite/')

    await page.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: 'No links yet' }).waitFor()
  })

  test('audit log: shows entries with reasons and changes, and can be filtered', async () => {
    const { server, owner, people, channel, at, room } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { topic: 'What comes next' }))
    expectOk(await owner.delete(`${at}/members/${ada.id}`, { reason: 'Advertising' }))
    const page = await openSettings(open, { server, channel }, owner, 'audit-log')
    const entries = page.getByRole('list', { name: 'Entries, newest first' }).getByRole('listitem')
    const kicked = entries.filter({ hasText: `${owner.name} removed ${ada.name} from the channel` })
    await kicked.getByText('Reason: Advertising').waitFor()
    await entries.getByText('Topic: none → What comes next').waitFor()

    await page.getByRole('combobox', { name: 'About' }).selectOption('Rooms')
    await kicked.waitFor({ state: 'detached' })
    await entries.getByText('Topic: none → What comes next').waitFor()
    await page.getByRole('combobox', { name: 'Changed by' }).fill(owner.name)
    await page.getByRole('option', { name: owner.name }).click()
    await page.getByRole('button', { name: 'Anyone' }).waitFor()
    await page.getByRole('combobox', { name: 'About' }).selectOption('Bots')
    await page.getByText('No matching entries.').waitFor()
  })
})
