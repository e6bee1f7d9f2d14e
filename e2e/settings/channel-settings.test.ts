import type { OwnChannel } from '@portico/contract'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from './channel-settings-visit.ts'
import { signedIn } from '../chat/chat-visit.ts'
import { focused, furnish, MEMBERSHIP_ENDED } from '../portal-visit.ts'

describeInBrowser('channel settings', ({ open }) => {
  test('open from the channel menu for members with permissions', async () => {
    const { server, owner, people, channel, at, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}`, {
      ...signedIn(server.url, ada),
      excuses: [MEMBERSHIP_ENDED],
    })
    const head = page.getByRole('button', { name: `${channel.name} menu` })
    await head.click()
    await page.getByRole('menuitem', { name: 'Channel settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor()
    const sections = page.getByRole('navigation', { name: 'Channel settings' })
    await expect.poll(() => sections.getByRole('listitem').allInnerTexts()).toEqual(['Invitations'])

    expectOk(await owner.patch(`${at}/roles/${(await role('CHANNEL_MEMBER')).id}`, { rights: ['read_text_room'] }))
    await page.getByRole('heading', { name: 'You can’t change anything here' }).waitFor()
    await page.goto(`${server.url}/c/${channel.id}`)
    await head.click()
    await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Notifications…', 'Leave channel'])
    await page.getByRole('menuitem', { name: 'Leave channel' }).click()
    await page
      .getByRole('dialog', { name: `Leave “${channel.name}”?` })
      .getByRole('button', { name: 'Leave' })
      .click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  })

  test('show a moderator only what their roles allow, updated live', async () => {
    const { server, owner, people, channel, at, give, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MODERATOR')
    // The log is read again while the right to it is withdrawn.
    const page = await openSettings(open, { server, channel }, ada, 'audit-log', {
      excuses: [/status of 403.*audit-log/],
    })
    await page.getByText(`${owner.name} changed ${ada.name}’s roles`).waitFor()
    const sections = page.getByRole('navigation', { name: 'Channel settings' })
    await expect
      .poll(() => sections.getByRole('listitem').allInnerTexts())
      .toEqual(['Members', 'Bans', 'Invitations', 'Audit log'])

    await give(ada, 'CHANNEL_MODERATOR', await newRole('Rooms', ['manage_rooms']))
    await sections.getByRole('link', { name: 'Rooms' }).waitFor()
    const member = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id] }))
    await page.getByRole('heading', { name: 'You can’t change anything here' }).waitFor()
    await sections.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' })
  })

  test('overview: saves changes together, warns before leaving and shows edit conflicts', async () => {
    const { server, owner, channel, at } = await channelFixture()
    const page = await openSettings(open, { server, channel }, owner, 'overview', {
      provokes: [/status of 422/],
    })
    const name = page.getByRole('textbox', { name: 'Name' })
    const about = page.getByRole('textbox', { name: 'Description' })
    await about.fill('Mine')
    await name.fill('')
    await page.getByText('Enter a channel name.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await name.fill('Workshops')

    expectOk(await owner.patch(at, { description: 'Theirs', open: false }))
    await page.getByText('Someone else just changed this to “Theirs”.').waitFor()
    await expect.poll(() => page.getByRole('radio', { name: 'By invitation only' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else just changed this.').waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()

    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await leaving.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const [saved] = expectOk(await owner.get<{ channels: OwnChannel[] }>('/channels')).channels
    expect(saved).toMatchObject({ name: 'Workshops', description: 'Mine', open: false })

    await name.fill('Other')
    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  })

  test('overview: the owner can transfer the channel, and the new owner can delete it', async () => {
    const { server, owner, people, channel } = await channelFixture({ people: 1 })
    const [ada] = people
    const page = await openSettings(open, { server, channel }, owner, 'overview')
    await page.getByRole('button', { name: 'Transfer' }).click()
    await focused(page, page.getByRole('combobox', { name: 'New owner' }))
    await page.keyboard.type(ada.name)
    await page.getByRole('option', { name: ada.name }).click()
    await page.getByRole('dialog', { name: 'Transfer ownership' }).getByRole('button', { name: 'Transfer' }).click()
    await page.getByRole('button', { name: 'Transfer' }).waitFor({ state: 'detached' })

    const newOwner = await openSettings(open, { server, channel }, ada, 'overview')
    await newOwner.getByRole('button', { name: 'Delete' }).click()
    const dialog = newOwner.getByRole('dialog', { name: `Delete “${channel.name}”?` })
    await dialog.getByRole('textbox').fill('Something else')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('That isn’t the channel’s name.').waitFor()
    await dialog.getByRole('textbox').fill(channel.name)
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await newOwner.getByRole('heading', { name: 'Welcome' }).waitFor()
  })

  test('are translated into Russian', async () => {
    const { server, owner, channel, at } = await channelFixture()
    await furnish({ owner, at })
    const page = await openSettings(open, { server, channel }, owner, 'rooms', { locale: 'ru-RU' })
    await page.getByRole('heading', { level: 1, name: 'Комнаты' }).waitFor()
    const sections = page.getByRole('navigation', { name: 'Настройки канала' })
    await expect
      .poll(() => sections.getByRole('listitem').allInnerTexts())
      .toEqual(['Обзор', 'Комнаты', 'Роли', 'Участники', 'Блокировки', 'Боты', 'Приглашения', 'Журнал'])
    await sections.getByRole('link', { name: 'Журнал' }).click()
    await page.getByText(`${owner.name} создаёт комнату «plans»`).waitFor()
  })
})
