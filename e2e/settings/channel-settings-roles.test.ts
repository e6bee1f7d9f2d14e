import type { Role } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../server/test/channel-fixture.ts'
import { describeInBrowser } from '../browser.ts'
import { openSettings } from './channel-settings-visit.ts'
import { dragTo } from '../portal-visit.ts'

describeInBrowser('roles in channel settings', ({ open }) => {
  test('can be edited in the matrix within one’s rank, and previewed', async () => {
    const { server, owner, people, channel, room, at, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', ['kick_member'])
    await newRole('Guests', [])
    await give(ada, 'CHANNEL_MEMBER', await newRole('Roles', ['manage_roles', 'pin_text_msg']))
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${watch.id}`, { allow: [], deny: ['react_text_msg'] }))

    const page = await openSettings(open, { server, channel }, owner, 'roles')
    await page.getByRole('checkbox', { name: 'Pin messages: Watch' }).check()
    await page.getByRole('checkbox', { name: 'Remove members: Watch' }).uncheck()
    const list = page.getByRole('list', { name: 'Roles, highest first' })
    await list.getByRole('radio', { name: /^Watch/ }).check({ force: true })
    await page.getByText('View as role').click()
    const eyes = page.getByRole('region', { name: 'View as Watch' })
    await eyes.getByRole('listitem').filter({ hasText: 'workshop' }).getByText('Pin messages').waitFor()
    await eyes.getByText('Add reactions (not allowed)').first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const roles = expectOk(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
    expect(roles.find(({ id }) => id === watch.id)?.rights).toEqual(['pin_text_msg'])

    await page.getByText('Room overrides').click()
    await page.getByRole('combobox', { name: 'Room' }).selectOption('workshop')
    await page
      .getByRole('group', { name: 'Add reactions' })
      .getByRole('radio', { name: 'Allow' })
      .check({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(expectOk(await owner.get(`${at}/rooms/${room.id}/access`))).toMatchObject({
      overrides: [{ roleId: watch.id, allow: ['react_text_msg'], deny: [] }],
    })

    const up = page.getByRole('button', { name: 'Move Guests up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^Guests is now/).waitFor({ state: 'attached' })

    const below = await openSettings(open, { server, channel }, ada, 'roles')
    const locked = (name: string) => below.getByRole('checkbox', { name }).isDisabled()
    await below.getByRole('checkbox', { name: 'Pin messages: Moderator' }).waitFor()
    expect(await locked('Pin messages: Moderator')).toBe(true)
    expect(await locked('Remove members: Member')).toBe(true)
    expect(await locked('Pin messages: Member')).toBe(false)
  })

  test('show six columns at once, and scroll to the others', async () => {
    const { server, owner, channel, newRole } = await channelFixture()
    await newRole('Night watch', [])
    const page = await openSettings(open, { server, channel }, owner, 'roles')
    const matrix = page.getByRole('region', { name: 'Role permissions' })
    const beyond = () => matrix.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    await matrix.getByRole('columnheader', { name: 'Night watch' }).waitFor()
    expect(await beyond()).toBe(0)
    for (const name of ['Choir', 'Gardeners', 'Cooks']) await newRole(name, [])
    await matrix.getByRole('columnheader', { name: 'Cooks' }).waitFor()
    expect(await beyond()).toBeGreaterThan(0)
  })

  test('show others’ changes live and keep unsaved changes', async () => {
    const { server, owner, channel, at, newRole } = await channelFixture()
    const watch = await newRole('Watch', [])
    const page = await openSettings(open, { server, channel }, owner, 'roles')
    await page.getByRole('checkbox', { name: 'Pin messages: Watch' }).check()

    expectOk(await owner.patch(`${at}/roles/${watch.id}`, { rights: ['kick_member'] }))
    await page.getByRole('checkbox', { name: 'Remove members: Watch', checked: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Pin messages: Watch', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const roles = expectOk(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
    expect(roles.find(({ id }) => id === watch.id)?.rights).toEqual(['pin_text_msg', 'kick_member'])
  })

  test('can be reordered with the mouse, below the roles that are locked', async () => {
    const { server, owner, people, channel, at, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    const lead = await newRole('Lead', ['manage_roles'])
    for (const name of ['Watch', 'Guests']) await newRole(name, [])
    await give(ada, 'CHANNEL_MEMBER', lead)
    const order = async () =>
      expectOk(await owner.get<{ roles: Role[] }>(`${at}/roles`))
        .roles.toSorted((one, other) => other.rank - one.rank)
        .flatMap(({ name, systemName }) => (systemName === 'CUSTOM' ? [name] : []))
    expect(await order()).toEqual(['Lead', 'Watch', 'Guests'])

    const row = (page: Page, name: RegExp) =>
      page.getByRole('listitem').filter({ has: page.getByRole('radio', { name }) })
    const page = await openSettings(open, { server, channel }, owner, 'roles')
    await dragTo(page, row(page, /^Guests/), row(page, /^Watch/))
    await page.getByText(/^Guests is now/).waitFor({ state: 'attached' })
    await expect.poll(order).toEqual(['Lead', 'Guests', 'Watch'])
    await dragTo(page, row(page, /^Guests/), row(page, /^Member/))
    await expect.poll(order).toEqual(['Lead', 'Watch', 'Guests'])

    const below = await openSettings(open, { server, channel }, ada, 'roles')
    await dragTo(below, row(below, /^Guests/), row(below, /^Lead/))
    await dragTo(below, row(below, /^Guests/), row(below, /^Watch/))
    await below.getByText(/^Guests is now/).waitFor({ state: 'attached' })
    await expect.poll(order).toEqual(['Lead', 'Guests', 'Watch'])
  })
})
