import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { manyMembers } from '../../test/many-members.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { startRemovingChannels } from './remove-channels.ts'

describe('deleteChannel', () => {
  test('is for the owner, who must repeat the name', async () => {
    const { administrator } = await portal()
    const { at, channel, owner, people, give } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')

    expect(await admin.delete(at, { name: 'Ateliers' })).toMatchObject({
      status: 403,
      body: { reason: 'not_the_owner' },
    })
    expect(await owner.delete(at, { name: 'ateliers' })).toMatchObject({ status: 422, body: { reason: 'wrong_name' } })
    expect((await owner.delete(at, { name: 'Ateliers' })).status).toBe(204)

    expect((await owner.get(at)).status).toBe(403)
    expect(expectOk(await admin.get('/channels'))).toEqual({ channels: [], hasMore: false })
    const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log'))
    expect(entries).toContainEqual(expect.objectContaining({ action: 'channel.deleted', targetId: channel.id }))
  })

  test('deletes everything in it, even while others join and change it', async () => {
    const { at, owner, people, newPerson } = await channelFixture({ people: 2 })
    const [bo, cy] = people
    const dee = await newPerson()
    expectOk(await owner.post(`${at}/rooms`, { name: 'den', type: 'text', private: true }))

    const answers = await Promise.all([
      dee.post(`${at}/join`),
      bo.put(`${at}/members/${bo.id}/nickname`, { nickname: 'Bobo' }),
      owner.delete(at, { name: 'Ateliers' }),
      cy.delete(`${at}/membership`),
      owner.post(`${at}/invitations`, {}),
    ])
    expect(answers[2].status).toBe(204)
    for (const { status } of answers) expect(status).toBeLessThan(500)
  })

  test('is done at once for everyone, and touches the rows of its members only afterwards', async () => {
    const { server, at, channel, room, owner, people, bots, newPerson } = await channelFixture({ people: 1, bots: 1 })
    const { administrator } = await portal()
    const [bo] = people
    const [bot] = bots
    const { code } = expectOk(await owner.post<{ code: string }>(`${at}/invitations`, {}))
    expectOk(await bo.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Still here' }))
    await manyMembers(server, channel.id, 2500)
    // Simulates a slow deletion: anything that touches this row has to wait.
    const lock = await server.services.database.connect()
    try {
      await lock.query('BEGIN')
      await lock.query('SELECT FROM members WHERE account_id = $1 FOR UPDATE', [bo.id])
      expect((await owner.delete(at, { name: 'Ateliers' })).status).toBe(204)

      for (const person of [owner, bo]) {
        expect((await person.get(at)).status).toBe(403)
        expect((await person.get(`/rooms/${room.id}/history`)).status).toBe(422)
        expect(expectOk(await person.get('/channels'))).toEqual({ channels: [], hasMore: false })
        expect(expectOk(await person.get('/read-states'))).toEqual({ rooms: [], nextAfterId: null })
        expect(expectOk(await person.get('/account/data'))).toMatchObject({ channels: [], messages: [] })
      }
      expect(expectOk(await owner.get('/account/deletion'))).toMatchObject({ ownedChannels: [] })
      expect(expectOk(await bot.get('/me'))).toMatchObject({ channels: [] })
      expect((await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hello?' })).status).toBe(403)
      const newcomer = await newPerson()
      expect((await newcomer.post(`${at}/join`)).status).toBe(422)
      expect((await newcomer.get(`/invitations/${code}`)).status).toBe(422)
      expect((await newcomer.post(`/invitations/${code}/accept`)).status).toBe(422)
      expect((await fetch(`${server.url}/media/avatars/${channel.image}`)).status).toBe(404)
      const { channels } = expectOk(await administrator.get<{ channels: { id: string }[] }>('/administration/channels'))
      expect(channels.map(({ id }) => id)).not.toContain(channel.id)
      expect((await administrator.delete(`/administration/channels/${channel.id}`, { name: 'Ateliers' })).status).toBe(
        422,
      )
    } finally {
      await lock.query('ROLLBACK')
      await lock.end()
    }

    // A restart in between: what was removed stays removed, and the next one continues.
    await startRemovingChannels(server.services)()
    const stop = startRemovingChannels(server.services)
    await eventually(() =>
      queryDatabaseOf(
        server,
        `SELECT (SELECT count(*)::int FROM members WHERE channel_id = '${channel.id}') AS members,
          (SELECT count(*)::int FROM rooms WHERE channel_id = '${channel.id}') AS rooms,
          (SELECT count(*)::int FROM channels WHERE id = '${channel.id}') AS channels`,
      ),
    ).toEqual([{ members: 0, rooms: 0, channels: 0 }])
    await stop()
  })
})
