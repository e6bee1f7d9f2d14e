import type { Role } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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
