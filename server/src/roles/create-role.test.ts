import { LIMITS, RIGHTS, type Role } from '@portico/contract'
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

  test('accepts every right', async () => {
    const { newRole } = await channelFixture()
    expect((await newRole('All', [...RIGHTS])).rights).toEqual([...RIGHTS])
  })
})
