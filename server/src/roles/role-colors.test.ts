import {
  channelChanged,
  memberChanged,
  memberJoined,
  messageCreated,
  ROLE_COLORS,
  type AuditEntry,
  type Member,
  type Output,
  type Role,
  type RoleColor,
  type RoomMessage,
} from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'

type Colors = Output<typeof api.listRoleColors>['colors']

describe('the color of a role', () => {
  test('is chosen when the role is created, changed and removed, with entries in the audit log', async () => {
    const { at, owner } = await channelFixture()
    const watch = expectOk(await owner.post<Role>(`${at}/roles`, { name: 'Watch', rights: [], color: 'teal' }))
    expect(watch.color).toBe('teal')
    const change = (color: RoleColor | null) => owner.patch<Role>(`${at}/roles/${watch.id}`, { color })
    expect(expectOk(await change('red')).color).toBe('red')
    expectOk(await change('red'))
    expect(expectOk(await owner.patch<Role>(`${at}/roles/${watch.id}`, { name: 'Guard' })).color).toBe('red')
    expect(expectOk(await change(null))).toEqual({
      id: watch.id,
      systemName: 'CUSTOM',
      name: 'Guard',
      rank: 101,
      rights: [],
      memberCount: 0,
    })

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?subject=role`))
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['role.updated', { color: { from: 'red', to: null } }],
      ['role.updated', { name: { from: 'Watch', to: 'Guard' } }],
      ['role.updated', { color: { from: 'teal', to: 'red' } }],
      ['role.created', { rights: [], color: 'teal' }],
    ])
  })

  test('must be one of the palette', async () => {
    const { at, owner, newRole } = await channelFixture()
    const { id } = await newRole('Watch', [])
    for (const color of ['#ff0000', 'crimson', '', 7, ['red'], 'Red']) {
      const wrong = { status: 400, body: { field: 'color' } }
      expect(await owner.patch(`${at}/roles/${id}`, { color })).toMatchObject(wrong)
      expect(await owner.post(`${at}/roles`, { name: 'Odd', rights: [], color })).toMatchObject(wrong)
    }
    for (const color of ROLE_COLORS) expectOk(await owner.patch(`${at}/roles/${id}`, { color }))
  })

  test('is changed only by those who can change the role, and not over someone else’s choice', async () => {
    const { at, owner, people, give, newRole, role } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const low = await newRole('Low', [])
    const own = await newRole('Own', ['manage_roles'])
    await give(ada, 'CHANNEL_MEMBER', own)
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [own.id, low.id] }))
    const color = (who: Person, { id }: Role, seen?: object) =>
      who.patch(`${at}/roles/${id}`, { color: 'pink', ...(seen && { seen }) })

    expect(await color(ben, low)).toMatchObject({ status: 403, body: { requiredRight: 'manage_roles' } })
    for (const above of [own, await role('CHANNEL_MODERATOR'), await role('CHANNEL_OWNER')]) {
      expect(await color(ada, above)).toMatchObject({ status: 403, body: { reason: 'outranked' } })
    }
    expectOk(await color(ada, low, { color: null }))
    expect(await color(owner, low, { color: null })).toMatchObject({
      status: 422,
      body: { reason: 'changed_meanwhile' },
    })
    expectOk(await color(owner, await role('CHANNEL_MEMBER')))
  })

  test('is all that the owner can change of the owner’s role, and nobody else can', async () => {
    const { at, owner, people, give, role } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')
    const own = await role('CHANNEL_OWNER')
    const change = (who: Person, input: object) => who.patch<Role>(`${at}/roles/${own.id}`, input)
    expect(expectOk(await change(owner, { color: 'purple' }))).toEqual({ ...own, color: 'purple' })
    const outranked = { status: 403, body: { reason: 'outranked' } }
    for (const more of [{ name: 'Queen' }, { rights: [] }]) {
      expect(await change(owner, { color: 'red', ...more })).toMatchObject(outranked)
    }
    expect(await change(admin, { color: 'red' })).toMatchObject(outranked)
    expect((await role('CHANNEL_OWNER')).color).toBe('purple')
    expect(expectOk(await change(owner, { color: null }))).toEqual(own)
  })

  test('is listed highest role first, for members only', async () => {
    const { at, owner, people, newRole, newPerson } = await channelFixture({ people: 1 })
    const [high, plain, low] = [await newRole('High', []), await newRole('Plain', []), await newRole('Low', [])]
    for (const { id } of [high, low]) expectOk(await owner.patch(`${at}/roles/${id}`, { color: 'blue' }))
    const colors = async () => expectOk(await people[0].get<{ colors: Colors }>(`${at}/roles/colors`)).colors
    expect(await colors()).toEqual([
      { roleId: high.id, color: 'blue' },
      { roleId: low.id, color: 'blue' },
    ])
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [low.id, plain.id, high.id] }))
    expect((await colors()).map(({ roleId }) => roleId)).toEqual([low.id, high.id])
    expect((await (await newPerson()).get(`${at}/roles/colors`)).status).toBe(403)
  })

  test('is shown to people and bots with the roles of members', async () => {
    const { at, owner, people, bots, give, newRole, channel } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const watch = await newRole('Watch', [])
    await give(ada, 'CHANNEL_MEMBER', watch)
    expectOk(await owner.patch(`${at}/roles/${watch.id}`, { color: 'green' }))
    const roles = [
      { systemName: 'CUSTOM', name: 'Watch', color: 'green' },
      { systemName: 'CHANNEL_MEMBER', name: 'Member' },
    ]
    const lists = [
      await owner.get<{ members: Member[] }>(`${at}/members`),
      await owner.get<{ members: Member[] }>(`${at}/members/by-name`),
      await owner.get<{ members: Member[] }>(`${at}/members/search`),
      await bots[0].get<{ members: Member[] }>(`/channels/${channel.id}/members`),
    ]
    for (const list of lists) expect(expectOk(list).members.find(({ id }) => id === ada.id)?.roles).toEqual(roles)
    expect(expectOk(await owner.get<Member>(`${at}/members/${ada.id}`)).roles).toEqual(roles)
    const { channels } = expectOk(await ada.get<Output<typeof api.listChannels>>('/channels'))
    expect(channels.map(({ role }) => role)).toEqual([roles[0]])
  })
})

describe('the roles of an author', () => {
  test('come with history and new messages, also of the quoted author, and not of people who left', async () => {
    const { server, at, owner, people, give, newRole, role, channel, room } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const watch = await newRole('Watch', [])
    const member = await role('CHANNEL_MEMBER')
    await give(ada, 'CHANNEL_MEMBER', watch)
    const send = async (who: Person, text: string, more: object = {}) =>
      expectOk(await who.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId: channel.id, text, ...more }))
    const history = async () =>
      expectOk(await owner.get<{ messages: RoomMessage[] }>(`/rooms/${room.id}/history`)).messages

    const portal = await OpenPortal.of(server, owner)
    const first = await send(ada, 'First')
    const { shown } = await portal.next(messageCreated)
    expect(shown.author.roleIds?.toSorted()).toEqual([watch.id, member.id].toSorted())
    await send(ben, 'Reply', { replyToId: first.id })
    const replied = await portal.next(messageCreated)
    expect(replied.shown.author.roleIds).toEqual([member.id])
    expect(replied.shown.replyTo?.author?.roleIds?.toSorted()).toEqual([watch.id, member.id].toSorted())
    const before = await history()
    expect(before[0]?.author.roleIds?.toSorted()).toEqual([watch.id, member.id].toSorted())
    expect(before[1]?.replyTo?.author?.roleIds?.toSorted()).toEqual([watch.id, member.id].toSorted())

    expectOk(await ada.delete(`${at}/membership`))
    const after = await history()
    expect([after[0]?.author.roleIds, after[1]?.replyTo?.author?.roleIds]).toEqual([[], []])
    expect(after[1]?.author.roleIds).toEqual([member.id])
  })

  test('are sent when they change, also by a transfer, and when someone joins', async () => {
    const { server, at, owner, people, give, newRole, role, newPerson } = await channelFixture({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', [])
    const ids = async (...names: Parameters<typeof role>[0][]) =>
      Promise.all(names.map(async (name) => (await role(name)).id))
    const [admin, member, ownerRole] = await ids('CHANNEL_ADMIN', 'CHANNEL_MEMBER', 'CHANNEL_OWNER')
    const portal = await OpenPortal.of(server, owner)
    const next = async () => {
      const { id, roleIds } = (await portal.next(memberChanged)).data.member
      return [id, roleIds?.toSorted()]
    }

    await give(ada, 'CHANNEL_MEMBER', watch)
    expect(await next()).toEqual([ada.id, [watch.id, member ?? ''].toSorted()])
    expectOk(await ada.patch('/account', { name: `${ada.name} II` }))
    expect(await next()).toEqual([ada.id, [watch.id, member ?? ''].toSorted()])
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Ada' }))
    expect(await next()).toEqual([ada.id, [watch.id, member ?? ''].toSorted()])
    expectOk(await owner.put(`${at}/owner`, { userId: ada.id }))
    expect(await next()).toEqual([owner.id, [admin]])
    expect(await next()).toEqual([ada.id, [watch.id, ownerRole ?? ''].toSorted()])

    const carol = await newPerson()
    expectOk(await carol.post(`${at}/join`))
    expect((await portal.next(memberJoined)).data).toMatchObject({ userId: carol.id, roleIds: [member] })
    expectOk(await owner.patch(`${at}/roles/${watch.id}`, { color: 'lime' }))
    let subject = ''
    while (subject !== 'role') subject = (await portal.next(channelChanged)).data.subject
  })
})
