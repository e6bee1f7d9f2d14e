import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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
