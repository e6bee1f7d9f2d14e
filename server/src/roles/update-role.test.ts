import type { AuditEntry, Role } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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
