import type { AuditEntry, Member } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('setMemberRoles', () => {
  test('replaces the whole list and writes added and removed roles to the audit log', async () => {
    const { at, owner, people, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const [watch, choir] = [await newRole('Watch', []), await newRole('Choir', [])]
    const moderator = await role('CHANNEL_MODERATOR')
    const member = await role('CHANNEL_MEMBER')
    const set = (...roles: { id: string }[]) =>
      owner.put<Member>(`${at}/members/${ada.id}/roles`, { roleIds: roles.map(({ id }) => id) })

    expect(expectOk(await set(watch, moderator)).roles.map(({ name }) => name)).toEqual(['Moderator', 'Watch'])
    expect(expectOk(await set(member, choir)).roles.map(({ name }) => name)).toEqual(['Choir', 'Member'])
    expect((await set(choir, member)).status).toBe(200)

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    const changes = entries.filter(({ action }) => action === 'member.roles_changed')
    expect(changes).toHaveLength(2)
    expect(changes[0]).toMatchObject({ targetId: ada.id })
    expect(Object.values(changes[0]?.details ?? {}).map((names) => (names as string[]).toSorted())).toEqual([
      ['Choir', 'Member'],
      ['Moderator', 'Watch'],
    ])
  })

  test('requires exactly one default role, and none of another channel', async () => {
    const { at, owner, people, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', [])
    const [member, moderator, bot] = [
      await role('CHANNEL_MEMBER'),
      await role('CHANNEL_MODERATOR'),
      await role('CHANNEL_BOT'),
    ]
    const foreign = await (await channelFixture()).newRole('Foreign', [])
    const set = (...roles: { id: string }[]) =>
      owner.put(`${at}/members/${ada.id}/roles`, { roleIds: roles.map(({ id }) => id) })

    expect(await set(watch)).toMatchObject({ status: 422, body: { reason: 'not_one_system_role' } })
    expect(await set(member, moderator)).toMatchObject({ status: 422, body: { reason: 'not_one_system_role' } })
    expect(await set(bot)).toMatchObject({ status: 422, body: { reason: 'role_for_bots' } })
    expect(await set(member, foreign)).toMatchObject({ status: 422, body: { reason: 'no_such_role' } })
    expect(await set(member, member)).toMatchObject({ status: 400, body: { field: 'roleIds' } })
    expect((await set()).status).toBe(400)
  })

  test('gives a bot any role except the owner’s', async () => {
    const { at, owner, bots, role } = await channelFixture({ bots: 1 })
    const set = (roleId: string) => owner.put<Member>(`${at}/members/${bots[0].id}/roles`, { roleIds: [roleId] })
    expect(expectOk(await set((await role('CHANNEL_MODERATOR')).id))).toMatchObject({
      isBot: true,
      roles: [{ systemName: 'CHANNEL_MODERATOR' }],
    })
    expect((await set((await role('CHANNEL_OWNER')).id)).status).toBe(403)
  })

  test('prevents raising yourself, raising an accomplice, and changing members above you', async () => {
    const { at, owner, people, give, newRole, role } = await channelFixture({ people: 4 })
    const [ada, bo, mod, admin] = people
    const own = await newRole('Roles', ['manage_roles'])
    const low = await newRole('Low', ['kick_member'])
    const harmless = await newRole('Harmless', ['manage_roles'])
    await give(ada, 'CHANNEL_MEMBER', own)
    await give(mod, 'CHANNEL_MODERATOR')
    await give(admin, 'CHANNEL_ADMIN')
    const member = await role('CHANNEL_MEMBER')
    const set = (who: typeof ada, whom: typeof ada, ...roles: { id: string }[]) =>
      who.put(`${at}/members/${whom.id}/roles`, { roleIds: roles.map(({ id }) => id) })
    const outranked = { status: 403, body: { reason: 'outranked' } }

    expect(await set(ada, ada, member, own, harmless)).toMatchObject(outranked)
    expect(await set(ada, bo, member, own)).toMatchObject(outranked)
    expect(await set(ada, bo, await role('CHANNEL_ADMIN'))).toMatchObject(outranked)
    expect(await set(ada, bo, member, low)).toMatchObject({ status: 403, body: { requiredRight: 'kick_member' } })
    expect(await set(ada, mod, member)).toMatchObject(outranked)
    expect(await set(admin, owner, member)).toMatchObject(outranked)
    expect(await set(admin, admin, member)).toMatchObject(outranked)
    expect(await set(owner, owner, member)).toMatchObject(outranked)
    expect(await set(owner, bo, await role('CHANNEL_OWNER'))).toMatchObject(outranked)
    expect((await set(ada, bo, member, harmless)).status).toBe(200)
    expect((await set(admin, mod, member)).status).toBe(200)
  })

  test('is refused if the right is removed concurrently', async () => {
    const { at, owner, people, give, role } = await channelFixture({ people: 2 })
    const [ada, bo] = people
    const member = await role('CHANNEL_MEMBER')
    const moderator = await role('CHANNEL_MODERATOR')
    for (let round = 0; round < 5; round += 1) {
      await give(ada, 'CHANNEL_ADMIN')
      await give(bo, 'CHANNEL_MEMBER')
      const [, promoted] = await Promise.all([
        owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id] }),
        ada.put(`${at}/members/${bo.id}/roles`, { roleIds: [moderator.id] }),
      ])
      const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?limit=2`))
      if (promoted.status === 200) expect(entries.map(({ targetId }) => targetId)).toEqual([ada.id, bo.id])
      else expect(promoted).toMatchObject({ status: 403, body: { requiredRight: 'manage_roles' } })
    }
  })
})
