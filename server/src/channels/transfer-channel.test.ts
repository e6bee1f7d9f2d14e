import { LIMITS, type OwnChannel } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('transferChannel', () => {
  test('says that it is the new owner who has too many channels', async () => {
    const { server, at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    await sql`
      INSERT INTO channels (id, name, image, owner_id)
      SELECT gen_random_uuid(), 'One of many', 'x.svg', ${ada.id}::uuid
      FROM generate_series(1, ${LIMITS.channelsOwned}::int)`.execute(server.services.database.kysely)
    expect(await owner.put(`${at}/owner`, { userId: ada.id })).toMatchObject({
      status: 422,
      body: { reason: 'owns_too_many_channels', message: expect.stringContaining(ada.name) },
    })
  })

  test('changes the owner and keeps the old one as an administrator', async () => {
    const { at, owner, people, give, newRole } = await channelFixture({ people: 2 })
    const [newOwner, other] = people
    await give(newOwner, 'CHANNEL_MODERATOR', await newRole('Night watch', []))
    expect(await other.put(`${at}/owner`, { userId: other.id })).toMatchObject({
      status: 403,
      body: { reason: 'not_the_owner' },
    })

    const transferred = expectOk(await owner.put<OwnChannel>(`${at}/owner`, { userId: newOwner.id.toUpperCase() }))
    expect(transferred.role.systemName).toBe('CHANNEL_ADMIN')
    expect(expectOk(await newOwner.get('/channels'))).toMatchObject({
      channels: [{ role: { systemName: 'CHANNEL_OWNER' } }],
    })
    expect((await owner.put(`${at}/owner`, { userId: owner.id })).status).toBe(403)
    expect((await newOwner.delete(at, { name: 'Ateliers' })).status).toBe(204)
  })

  test('is refused for bots, strangers and the owner', async () => {
    const { at, owner, bots, newPerson } = await channelFixture({ bots: 1 })
    const stranger = await newPerson()

    const refused = async (userId: string, reason: string) =>
      expect(await owner.put(`${at}/owner`, { userId })).toMatchObject({ status: 422, body: { reason } })
    await refused(stranger.id, 'not_a_member')
    await refused(bots[0].id, 'not_a_person')
    await refused(owner.id, 'already_the_owner')
  })
})
