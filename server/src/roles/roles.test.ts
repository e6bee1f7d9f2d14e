import { LIMITS, RIGHTS, type AuditEntry, type Role } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('createRole', () => {
  test('ranks the new role just above ordinary members', async () => {
    const { at, owner, roles } = await channelFixture()
    const first = expectOk(
      await owner.post<Role>(`${at}/roles`, { name: ' First ', rights: ['pin_text_msg', 'kick_member'] }),
    )
    expect(first).toMatchObject({ name: 'First', systemName: 'CUSTOM', rank: 101, memberCount: 0 })
    expectOk(await owner.post(`${at}/roles`, { name: 'Second', rights: [] }))

    expect((await roles()).map(({ name, rank }) => [name, rank])).toEqual([
      ['Owner', 1000],
      ['Administrator', 900],
      ['Moderator', 500],
      ['First', 102],
      ['Second', 101],
      ['Member', 100],
      ['Bot', 50],
    ])
  })

  test('rejects rights that the caller lacks', async () => {
    const { at, people, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MEMBER', await newRole('Roles', ['manage_roles', 'pin_text_msg']))

    expect(await ada.post(`${at}/roles`, { name: 'Kickers', rights: ['kick_member'] })).toMatchObject({
      status: 403,
      body: { requiredRight: 'kick_member' },
    })
    expect((await ada.post(`${at}/roles`, { name: 'Pinners', rights: ['pin_text_msg'] })).status).toBe(201)
  })

  test('never ranks the role above the caller', async () => {
    const { at, owner, people, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const member = await role('CHANNEL_MEMBER')
    expectOk(await owner.patch(`${at}/roles/${member.id}`, { rights: [...member.rights, 'manage_roles'] }))
    expect(await ada.post(`${at}/roles`, { name: 'Mine', rights: [] })).toMatchObject({
      status: 403,
      body: { reason: 'outranked' },
    })
  })

  test('enforces the limit, even for concurrent requests', async () => {
    const { at, channel, server, owner } = await channelFixture()
    await server.services.database.kysely
      .insertInto('roles')
      .values(
        Array.from({ length: LIMITS.rolesOfChannel - 6 }, (_, n) => ({
          id: newId(),
          channel_id: channel.id,
          system_name: 'CUSTOM' as const,
          name: `Role ${n}`,
          rank: 501 + n,
          rights: [],
        })),
      )
      .execute()
    const answers = await Promise.all(
      [1, 2, 3].map((n) => owner.post(`${at}/roles`, { name: `Race ${n}`, rights: [] })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
  })

  test('requires the right, and rejects unknown rights', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    expect(await ada.post(`${at}/roles`, { name: 'Mine', rights: [] })).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_roles' },
    })
    expect((await owner.post(`${at}/roles`, { name: 'Odd', rights: ['rule_the_world'] })).status).toBe(400)
  })
})

describe('updateRole', () => {
  test('changes a role below the caller’s and writes the changes to the audit log', async () => {
    const { at, owner, newRole } = await channelFixture()
    const role = await newRole('Watch', ['kick_member'])
    const changed = expectOk(
      await owner.patch<Role>(`${at}/roles/${role.id}`, {
        name: 'Night watch',
        rights: ['pin_text_msg', 'kick_member'],
      }),
    )
    expect(changed).toEqual({ ...role, name: 'Night watch', rights: ['pin_text_msg', 'kick_member'] })

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({
      action: 'role.updated',
      details: {
        name: { from: 'Watch', to: 'Night watch' },
        rights: { from: ['kick_member'], to: ['pin_text_msg', 'kick_member'] },
      },
    })
  })

  test('keeps existing rights, and adds none that the caller lacks', async () => {
    const { at, people, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    const high = await newRole('High', ['manage_roles'])
    const low = await newRole('Low', ['kick_member'])
    await give(ada, 'CHANNEL_MEMBER', high)

    const updated = await ada.patch(`${at}/roles/${low.id}`, { rights: ['kick_member', 'write_text_room'] })
    expect(updated).toMatchObject({ status: 200, body: { rights: ['write_text_room', 'kick_member'] } })
    expect(await ada.patch(`${at}/roles/${low.id}`, { rights: ['manage_channel'] })).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_channel' },
    })
  })

  test('rejects roles at or above the caller’s, and the owner’s role always', async () => {
    const { at, owner, people, give, newRole, role } = await channelFixture({ people: 2 })
    const [ada, admin] = people
    const own = await newRole('Own', ['manage_roles'])
    await give(ada, 'CHANNEL_MEMBER', own)
    await give(admin, 'CHANNEL_ADMIN')
    const outranked = { status: 403, body: { reason: 'outranked' } }

    for (const target of [own, await role('CHANNEL_MODERATOR'), await role('CHANNEL_ADMIN')]) {
      expect(await ada.patch(`${at}/roles/${target.id}`, { name: 'Mine' })).toMatchObject(outranked)
      expect(await ada.delete(`${at}/roles/${target.id}`)).toMatchObject(outranked)
    }
    const ownerRole = await role('CHANNEL_OWNER')
    const adminRole = await role('CHANNEL_ADMIN')
    expect(await admin.patch(`${at}/roles/${adminRole.id}`, { name: 'Boss' })).toMatchObject(outranked)
    expect((await owner.patch(`${at}/roles/${adminRole.id}`, { name: 'Boss' })).status).toBe(200)
    for (const person of [admin, owner]) {
      expect(await person.patch(`${at}/roles/${ownerRole.id}`, { rights: [] })).toMatchObject(outranked)
    }
  })

  test('does not find the role of another channel', async () => {
    const { at, owner } = await channelFixture()
    const elsewhere = await channelFixture()
    const foreign = await elsewhere.newRole('Foreign', [])
    const missing = { status: 422, body: { reason: 'no_such_role' } }
    expect(await owner.patch(`${at}/roles/${foreign.id}`, { name: 'Mine' })).toMatchObject(missing)
    expect(await owner.delete(`${at}/roles/${foreign.id}`)).toMatchObject(missing)
    expect(await owner.delete(`${at}/roles/${newId()}`)).toMatchObject(missing)
  })
})

describe('deleteRole', () => {
  test('keeps the other roles of its members', async () => {
    const { at, owner, people, give, newRole, roles } = await channelFixture({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', ['kick_member'])
    await give(ada, 'CHANNEL_MODERATOR', watch)
    expect((await roles()).find(({ id }) => id === watch.id)?.memberCount).toBe(1)

    expect((await owner.delete(`${at}/roles/${watch.id}`)).status).toBe(204)
    expect(expectOk(await ada.get(`${at}/members`))).toMatchObject({
      members: expect.arrayContaining([
        expect.objectContaining({ id: ada.id, roles: [{ systemName: 'CHANNEL_MODERATOR', name: 'Moderator' }] }),
      ]),
    })
  })

  test('rejects default roles', async () => {
    const { at, owner, role } = await channelFixture()
    const { id } = await role('CHANNEL_MODERATOR')
    expect(await owner.delete(`${at}/roles/${id}`)).toMatchObject({ status: 422, body: { reason: 'system_role' } })
  })
})

describe('sortRoles', () => {
  const custom = (roles: Role[]) =>
    roles.filter(({ rank }) => rank > 100 && rank < 900).map(({ name, rank }) => [name, rank])

  test('sorts roles, around the moderator role if it is listed', async () => {
    const { at, owner, newRole, role, roles } = await channelFixture()
    const [a, b, c] = [await newRole('A', []), await newRole('B', []), await newRole('C', [])]
    const moderator = await role('CHANNEL_MODERATOR')

    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [c.id, moderator.id, a.id, b.id] }))
    expect(custom(await roles())).toEqual([
      ['C', 501],
      ['Moderator', 500],
      ['A', 102],
      ['B', 101],
    ])
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [b.id.toUpperCase(), c.id, a.id] }))
    expect(custom(await roles())).toEqual([
      ['Moderator', 500],
      ['B', 103],
      ['C', 102],
      ['A', 101],
    ])
  })

  test('requires every custom role, once', async () => {
    const { at, owner, newRole, role } = await channelFixture()
    const [a, b] = [await newRole('A', []), await newRole('B', [])]
    const member = await role('CHANNEL_MEMBER')
    const order = (...roleIds: string[]) => owner.put(`${at}/roles/order`, { roleIds })
    for (const ids of [[a.id], [a.id, b.id, newId()], [a.id, member.id], []]) {
      expect(await order(...ids)).toMatchObject({ status: 422, body: { reason: 'other_roles' } })
    }
    expect(await order(a.id, b.id, a.id)).toMatchObject({ status: 400, body: { field: 'roleIds' } })
  })

  test('moves nothing to or above the caller’s rank', async () => {
    const { at, people, give, newRole, roles } = await channelFixture({ people: 1 })
    const [ada] = people
    const top = await newRole('Top', [])
    const own = await newRole('Own', ['manage_roles'])
    const [low, lower] = [await newRole('Low', []), await newRole('Lower', [])]
    await give(ada, 'CHANNEL_MEMBER', own)
    const order = (...given: Role[]) => ada.put(`${at}/roles/order`, { roleIds: given.map(({ id }) => id) })

    for (const attempt of [
      [top, low, own, lower],
      [own, top, low, lower],
      [low, top, own, lower],
    ]) {
      expect(await order(...attempt)).toMatchObject({ status: 403, body: { reason: 'outranked' } })
    }
    expect((await order(top, own, lower, low)).status).toBe(204)
    expect(custom(await roles()).map(([name]) => name)).toEqual(['Moderator', 'Top', 'Own', 'Lower', 'Low'])
  })
})

test('the roles of a channel can have every right', async () => {
  const { newRole } = await channelFixture()
  expect((await newRole('All', [...RIGHTS])).rights).toEqual([...RIGHTS])
})
