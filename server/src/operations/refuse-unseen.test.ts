import type { Role } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

const overtaken = { status: 422, body: { reason: 'changed_meanwhile' } }

describe('refuseUnseen prevents overwriting unseen changes of', () => {
  test('the roles of a member', async () => {
    const { at, owner, people, role, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    const member = await role('CHANNEL_MEMBER')
    const [first, second] = [await newRole('First', []), await newRole('Second', [])]
    const seen = { roleIds: [member.id] }

    expectOk(await owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id, first.id], seen }))
    expect(await owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id, second.id], seen })).toMatchObject(
      overtaken,
    )
    const now = { roleIds: [first.id, member.id] }
    expectOk(await owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id, second.id], seen: now }))
  })

  test('a channel', async () => {
    const { at, owner } = await channelFixture()
    const seen = { description: null }
    expectOk(await owner.patch(at, { description: 'First', seen }))
    expect(await owner.patch(at, { description: 'Second', seen })).toMatchObject(overtaken)
    expectOk(await owner.patch(at, { name: 'Workshops', seen: { name: 'Ateliers' } }))
  })

  test('a role, with its rights in any order', async () => {
    const { at, owner, newRole } = await channelFixture()
    const role = await newRole('Watch', ['pin_text_msg', 'kick_member'])
    const seen = { rights: ['kick_member', 'pin_text_msg'] }
    expectOk(await owner.patch<Role>(`${at}/roles/${role.id}`, { rights: [], seen }))
    expect(await owner.patch(`${at}/roles/${role.id}`, { rights: ['kick_member'], seen })).toMatchObject(overtaken)
    expectOk(await owner.patch(`${at}/roles/${role.id}`, { name: 'Night watch', seen: { name: 'Watch' } }))
  })

  test('a room with its overrides and admissions', async () => {
    const { at, owner, people, room, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const member = await role('CHANNEL_MEMBER')
    const here = `${at}/rooms/${room.id}`
    const nothing = { allow: [], deny: [] }

    expectOk(await owner.patch(here, { topic: 'First', seen: { topic: null } }))
    expect(await owner.patch(here, { topic: 'Second', seen: { topic: null } })).toMatchObject(overtaken)

    const override = { allow: [], deny: ['react_text_msg'] }
    expectOk(await owner.put(`${here}/overrides/${member.id}`, { ...override, seen: nothing }))
    expect(await owner.put(`${here}/overrides/${member.id}`, { ...nothing, seen: nothing })).toMatchObject(overtaken)
    expectOk(await owner.put(`${here}/overrides/${member.id}`, { ...nothing, seen: override }))

    const admits = { roleIds: [member.id], memberIds: [ada.id] }
    expectOk(await owner.put(`${here}/admissions`, { ...admits, seen: { roleIds: [], memberIds: [] } }))
    expect(
      await owner.put(`${here}/admissions`, { roleIds: [], memberIds: [], seen: { roleIds: [], memberIds: [] } }),
    ).toMatchObject(overtaken)
    expectOk(await owner.put(`${here}/admissions`, { roleIds: [], memberIds: [], seen: admits }))
  })
})
