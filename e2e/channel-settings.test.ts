import type { Category, OwnChannel, Role, Room } from '@portico/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Person } from '../server/test/person.ts'
import { done, world } from '../server/test/world.ts'
import { describeInBrowser, type Visit, type Visitor } from './browser.ts'
import { focused, furnish, signedOut, signIn } from './portal-visit.ts'

/** Where a right or the channel goes while its page is open, the page may ask once more before it knows. */
const overtaken = { locale: 'en-GB', provokes: [/status of 40[13]/] }

/** A refusal on purpose, beside the one of whoever is not signed in yet. */
const refused = { locale: 'en-GB', provokes: [/status of 401/, /status of 422/] }

interface Wanted {
  url: string
  channelId: string
  person: Person
  section: string
}

async function settingsOf(
  open: Visitor['open'],
  { url, channelId, person, section }: Wanted,
  visit: Visit = signedOut,
): Promise<Page> {
  const page = await open(`${url}/c/${channelId}/settings/${section}`, visit)
  await signIn(page, person)
  return page
}

describeInBrowser('the settings of a channel', ({ open }) => {
  test('are entered from its head, by those who may do anything there', async () => {
    const { server, owner, people, channel, at, role } = await world({ people: 1 })
    const [ada] = people
    const page = await open(`${server.url}/c/${channel.id}`, overtaken)
    await signIn(page, ada)
    const head = page.getByRole('button', { name: `Menu of ${channel.name}` })
    await head.click()
    await page.getByRole('menuitem', { name: 'Channel settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Invitations' }).waitFor()
    const sections = page.getByRole('navigation', { name: 'Channel settings' })
    expect(await sections.getByRole('listitem').allInnerTexts()).toEqual(['Invitations'])

    done(await owner.patch(`${at}/roles/${(await role('CHANNEL_MEMBER')).id}`, { rights: ['read_text_room'] }))
    await page.getByRole('heading', { name: 'Nothing here for you to change' }).waitFor()
    await page.goto(`${server.url}/c/${channel.id}`)
    await head.click()
    await page.getByRole('menuitem', { name: 'Leave the channel' }).waitFor()
    expect(await page.getByRole('menuitem').count()).toBe(1)
    await page.getByRole('menuitem', { name: 'Leave the channel' }).click()
    await page
      .getByRole('dialog', { name: `Leave “${channel.name}”?` })
      .getByRole('button', { name: 'Leave' })
      .click()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
  })

  test('show a moderator only what they may, and follow their roles while they look', async () => {
    const { server, owner, people, channel, at, give, newRole, role } = await world({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MODERATOR')
    const page = await settingsOf(
      open,
      { url: server.url, channelId: channel.id, person: ada, section: 'audit-log' },
      overtaken,
    )
    await page.getByText(`${owner.name} changed the roles of ${ada.name}`).waitFor()
    const sections = page.getByRole('navigation', { name: 'Channel settings' })
    expect(await sections.getByRole('listitem').allInnerTexts()).toEqual(['Members', 'Invitations', 'Audit log'])

    await give(ada, 'CHANNEL_MODERATOR', await newRole('Rooms', ['manage_rooms']))
    await sections.getByRole('link', { name: 'Rooms' }).waitFor()
    const member = await role('CHANNEL_MEMBER')
    done(await owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id] }))
    await page.getByRole('heading', { name: 'Nothing here for you to change' }).waitFor()
    await sections.getByRole('link', { name: 'Audit log' }).waitFor({ state: 'detached' })
  })

  test('overview: changes are saved together, asked about when left, and show what others do meanwhile', async () => {
    const { server, owner, channel, at } = await world()
    const page = await settingsOf(
      open,
      { url: server.url, channelId: channel.id, person: owner, section: 'overview' },
      refused,
    )
    const name = page.getByRole('textbox', { name: 'Name' })
    const about = page.getByRole('textbox', { name: 'What it is about' })
    await about.fill('Mine')
    await name.fill('')
    await page.getByText('Give the channel a name.').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await name.fill('Workshops')

    done(await owner.patch(at, { description: 'Theirs', open: false }))
    await page.getByText('Somebody else has changed this meanwhile: “Theirs”.').waitFor()
    expect(await page.getByRole('radio', { name: 'By invitation only' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else changed this a moment ago.').waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()

    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' })
    await leaving.getByRole('button', { name: 'Stay here' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const [saved] = done(await owner.get<{ channels: OwnChannel[] }>('/channels')).channels
    expect(saved).toMatchObject({ name: 'Workshops', description: 'Mine', open: false })

    await name.fill('Other')
    await page.getByRole('link', { name: 'Rooms', exact: true }).click()
    await leaving.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Rooms' }).waitFor()
  })

  test('overview: the owner hands the channel over, and whoever owns it deletes it by its name', async () => {
    const { server, owner, people, channel } = await world({ people: 1 })
    const [ada] = people
    const page = await settingsOf(
      open,
      { url: server.url, channelId: channel.id, person: owner, section: 'overview' },
      overtaken,
    )
    await page.getByRole('button', { name: 'Hand over' }).click()
    await page.getByRole('combobox', { name: 'New owner' }).fill(ada.name)
    await page.getByRole('option', { name: ada.name }).click()
    await page.getByRole('dialog', { name: 'Hand the channel over' }).getByRole('button', { name: 'Hand over' }).click()
    await page.getByRole('button', { name: 'Hand over' }).waitFor({ state: 'detached' })

    const heir = await settingsOf(
      open,
      { url: server.url, channelId: channel.id, person: ada, section: 'overview' },
      overtaken,
    )
    await heir.getByRole('button', { name: 'Delete' }).click()
    const asking = heir.getByRole('dialog', { name: `Delete “${channel.name}”?` })
    await asking.getByRole('textbox').fill('Something else')
    await asking.getByRole('button', { name: 'Delete' }).click()
    await asking.getByText('This is not the name of the channel.').waitFor()
    await asking.getByRole('textbox').fill(channel.name)
    await asking.getByRole('button', { name: 'Delete' }).click()
    await heir.getByRole('heading', { name: 'Welcome' }).waitFor()
  })

  test('rooms: are made, changed, put in order by keyboard and deleted', async () => {
    const { server, owner, channel, at } = await world()
    await furnish({ owner, at })
    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'rooms' })
    const work = page.getByRole('region', { name: 'Work' })
    const order = async () =>
      done(await owner.get<{ rooms: Room[]; categories: Category[] }>(`${at}/rooms`))
        .rooms.filter(({ categoryId }) => categoryId !== null)
        .map(({ name }) => name)

    const down = page.getByRole('button', { name: 'Move plans down' })
    await down.focus()
    await page.keyboard.press('Enter')
    await page.getByText('plans: place 2 of 4 in Work').waitFor({ state: 'attached' })
    await focused(page, down)
    await expect.poll(order).toEqual(['stand-up', 'plans', 'demo', 'leads'])
    const up = page.getByRole('button', { name: 'Move stand-up up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^stand-up: place \d of \d, outside categories$/).waitFor({ state: 'attached' })
    await focused(page, up)

    await page.getByRole('button', { name: 'New room' }).click()
    const making = page.getByRole('dialog', { name: 'New room' })
    await making.getByRole('button', { name: 'Create' }).click()
    await making.getByText('Give the room a name.').waitFor()
    await making.getByText('Voice', { exact: true }).click()
    await making.getByRole('textbox', { name: 'Name of the room' }).fill('lounge')
    await making.getByRole('textbox', { name: 'Most people at once' }).fill('12')
    await making.getByRole('combobox', { name: 'Category' }).selectOption('Work')
    await making.getByRole('button', { name: 'Create' }).click()
    await work.getByText('lounge').waitFor()

    await page.getByRole('button', { name: 'Change leads' }).click()
    const editing = page.getByRole('dialog', { name: 'Change leads' })
    await editing.getByRole('checkbox', { name: 'Moderator' }).check()
    await editing.getByRole('textbox', { name: 'Topic' }).fill('For those who lead')
    await editing.getByRole('button', { name: 'Save' }).click()
    await work.getByText('For those who lead').waitFor()

    await page.getByRole('button', { name: 'Change demo' }).click()
    await page.getByRole('button', { name: 'Delete the room' }).click()
    await page.getByRole('dialog', { name: 'Delete the room “demo”?' }).getByRole('button', { name: 'Delete' }).click()
    await work.getByText('demo').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Delete Work' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('region', { name: 'Outside categories' }).getByText('leads').waitFor()
  })

  test('roles: the matrix is changed as a whole, ranks are respected, and a role’s eyes are lent', async () => {
    const { server, owner, people, channel, room, at, give, newRole } = await world({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', ['kick_member'])
    await newRole('Guests', [])
    await give(ada, 'CHANNEL_MEMBER', await newRole('Roles', ['manage_roles', 'pin_text_msg']))
    done(await owner.put(`${at}/rooms/${room.id}/overrides/${watch.id}`, { allow: [], deny: ['react_text_msg'] }))

    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'roles' })
    await page.getByRole('checkbox', { name: 'Pin messages: Watch' }).check()
    await page.getByRole('checkbox', { name: 'Remove from the channel: Watch' }).uncheck()
    const list = page.getByRole('list', { name: 'Roles, highest first' })
    await list.getByRole('radio', { name: /^Watch/ }).check({ force: true })
    await page.getByText('See as a role').click()
    const eyes = page.getByRole('region', { name: 'The channel as Watch sees it' })
    await eyes.getByRole('listitem').filter({ hasText: 'workshop' }).getByText('Pin messages').waitFor()
    await eyes.getByText('React (may not)').first().waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const roles = done(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
    expect(roles.find(({ id }) => id === watch.id)?.rights).toEqual(['pin_text_msg'])

    await page.getByText('In one room').click()
    await page.getByRole('combobox', { name: 'Room' }).selectOption('workshop')
    await page.getByRole('group', { name: 'React' }).getByRole('radio', { name: 'Allow' }).check({ force: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    expect(done(await owner.get(`${at}/rooms/${room.id}/access`))).toMatchObject({
      overrides: [{ roleId: watch.id, allow: ['react_text_msg'], deny: [] }],
    })

    const up = page.getByRole('button', { name: 'Move Guests up' })
    await up.focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^Guests: now ranks/).waitFor({ state: 'attached' })

    const below = await settingsOf(open, { url: server.url, channelId: channel.id, person: ada, section: 'roles' })
    const locked = (name: string) => below.getByRole('checkbox', { name }).isDisabled()
    await below.getByRole('checkbox', { name: 'Pin messages: Moderator' }).waitFor()
    expect(await locked('Pin messages: Moderator')).toBe(true)
    expect(await locked('Remove from the channel: Member')).toBe(true)
    expect(await locked('Pin messages: Member')).toBe(false)
  })

  test('roles: whoever looks sees at once what others change, and keeps what they changed themselves', async () => {
    const { server, owner, channel, at, newRole } = await world()
    const watch = await newRole('Watch', [])
    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'roles' })
    await page.getByRole('checkbox', { name: 'Pin messages: Watch' }).check()

    done(await owner.patch(`${at}/roles/${watch.id}`, { rights: ['kick_member'] }))
    await page.getByRole('checkbox', { name: 'Remove from the channel: Watch', checked: true }).waitFor()
    await page.getByRole('checkbox', { name: 'Pin messages: Watch', checked: true }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    const roles = done(await owner.get<{ roles: Role[] }>(`${at}/roles`)).roles
    expect(roles.find(({ id }) => id === watch.id)?.rights).toEqual(['pin_text_msg', 'kick_member'])
  })

  test('members: are found, named, given roles, muted and removed', async () => {
    const { server, owner, people, channel, newRole } = await world({ people: 2 })
    const [ada, boris] = people
    await newRole('Watch', [])
    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'members' })
    await page.getByRole('searchbox', { name: 'Find members' }).fill(ada.name)
    await page.getByText('1 member', { exact: true }).waitFor()
    await page.getByRole('button', { name: `Manage ${ada.name}` }).click()

    const card = page.getByRole('dialog', { name: ada.name })
    await card.getByRole('checkbox', { name: 'Watch' }).check()
    await card.getByRole('combobox', { name: 'Standing' }).selectOption('Moderator')
    await card.getByRole('button', { name: 'Save' }).click()
    await card.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Mute in chat' }).click()
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
    await other.getByRole('button', { name: 'Remove from the channel' }).click()
    await other.getByRole('button', { name: 'Remove from the channel' }).click()
    await page.getByRole('heading', { name: 'Nobody fits' }).waitFor()
  })

  test('bots: have a role, show their commands, and are removed', async () => {
    const { server, owner, channel, bots } = await world({ bots: 1 })
    const [bot] = bots
    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'bots' })
    await page.getByRole('combobox', { name: `Role of ${bot.application.name}` }).waitFor()
    expect(await page.getByRole('heading', { name: 'Commands' }).count()).toBe(0)

    await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploy a build', usage: '<service>' }] })
    await page.getByRole('rowheader', { name: '/deploy' }).waitFor()
    await page.getByRole('combobox', { name: `Role of ${bot.application.name}` }).selectOption('Moderator')
    await page.getByText(`${bot.application.name} has the role Moderator now.`).waitFor({ state: 'attached' })

    await page.getByRole('textbox', { name: 'Install link or application id' }).fill('Shipyard')
    await page.getByRole('button', { name: 'Look at it' }).click()
    await page.getByText('There is no application id in this.').waitFor()

    await page.getByRole('button', { name: `Remove ${bot.application.name}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No bots here yet' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Commands' }).count()).toBe(0)
  })

  test('invitations: are made with limits, copied with a word about it, and revoked', async () => {
    const { server, owner, channel } = await world()
    const page = await open(`${server.url}/c/${channel.id}/settings/invitations`, {
      ...signedOut,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await signIn(page, owner)
    await page.getByRole('heading', { name: 'No links yet' }).waitFor()
    await page.getByRole('combobox', { name: 'Works for' }).selectOption('1 day')
    await page.getByRole('combobox', { name: 'Lets in' }).selectOption('5 people')
    await page.getByRole('button', { name: 'Make a link' }).click()
    await page.getByText('0 of 5 joined').waitFor()
    await page.getByRole('button', { name: /^Copy/ }).first().click()
    await page.getByRole('status').filter({ hasText: 'Copied' }).first().waitFor({ state: 'attached' })
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('/invite/')

    await page.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog', { name: 'Revoke this link?' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('heading', { name: 'No links yet' }).waitFor()
  })

  test('the audit log: speaks in sentences, with reasons and changes, and is filtered', async () => {
    const { server, owner, people, channel, at, room } = await world({ people: 1 })
    const [ada] = people
    done(await owner.patch(`${at}/rooms/${room.id}`, { topic: 'What comes next' }))
    done(await owner.delete(`${at}/members/${ada.id}`, { reason: 'Advertising' }))
    const page = await settingsOf(open, { url: server.url, channelId: channel.id, person: owner, section: 'audit-log' })
    const entries = page.getByRole('list', { name: 'Entries, newest first' }).getByRole('listitem')
    const kicked = entries.filter({ hasText: `${owner.name} removed ${ada.name} from the channel` })
    await kicked.getByText('Reason: Advertising').waitFor()
    await entries.getByText('Topic: none → What comes next').waitFor()

    await page.getByRole('combobox', { name: 'About' }).selectOption('Rooms')
    await kicked.waitFor({ state: 'detached' })
    await entries.getByText('Topic: none → What comes next').waitFor()
    await page.getByRole('combobox', { name: 'By whom' }).fill(owner.name)
    await page.getByRole('option', { name: owner.name }).click()
    await page.getByRole('button', { name: 'By anybody' }).waitFor()
    await page.getByRole('combobox', { name: 'About' }).selectOption('Bots')
    await page.getByText('No entry fits.').waitFor()
  })

  test('speak Russian', async () => {
    const { server, owner, channel, at } = await world()
    await furnish({ owner, at })
    const page = await open(`${server.url}/c/${channel.id}/settings/rooms`, {
      locale: 'ru-RU',
      provokes: [/status of 401/],
    })
    await page.getByLabel('Имя', { exact: true }).fill(owner.name)
    await page.getByLabel('Пароль', { exact: true }).fill(owner.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Комнаты' }).waitFor()
    const sections = page.getByRole('navigation', { name: 'Настройки канала' })
    expect(await sections.getByRole('listitem').allInnerTexts()).toEqual([
      'Обзор',
      'Комнаты',
      'Роли',
      'Участники',
      'Боты',
      'Приглашения',
      'Журнал',
    ])
    await sections.getByRole('link', { name: 'Журнал' }).click()
    await page.getByText(`${owner.name} создаёт комнату «plans»`).waitFor()
  })
})
