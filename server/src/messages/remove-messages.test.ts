import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import type { TestServer } from '../../test/start-server.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { startRemovingChannels } from '../channels/remove-channels.ts'
import { startRemovingMessages } from './remove-messages.ts'

/** On a separate connection: these statements read and write more than the server ever would. */
async function fill(server: TestServer, channelId: string, authorId: string, perRoom: number): Promise<void> {
  await queryDatabaseOf(
    server,
    `WITH said AS (
      INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
      SELECT gen_random_uuid(), channel_id, id, '${authorId}', 'Said', now()
      FROM rooms, generate_series(1, ${perRoom}) WHERE channel_id = '${channelId}' AND type = 'text'
      RETURNING id
    )
    INSERT INTO reactions (message_id, emoji, account_id) SELECT id, '👍', '${authorId}' FROM said`,
  )
}

async function left(server: TestServer, channelId: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await queryDatabaseOf(
    server,
    `SELECT (SELECT count(*)::int FROM messages WHERE channel_id = '${channelId}') AS messages,
      (SELECT count(*)::int FROM message_removals) AS rooms`,
  )
  return row
}

describe('deleting', () => {
  test('a channel leaves its messages to a job that continues after an interruption', async () => {
    const { server, owner, channel, at, room, newRoom } = await channelFixture()
    await newRoom('text')
    await fill(server, channel.id, owner.id, 2500)
    expectOk(await owner.delete(at, { name: 'Ateliers' }))
    expect((await owner.get(`/rooms/${room.id}/history`)).status).toBe(422)
    const stopRemoving = startRemovingChannels(server.services)
    // Three text rooms, and the chat of the voice room.
    await eventually(() => left(server, channel.id)).toEqual({ messages: 7500, rooms: 4 })
    await stopRemoving()

    // Stopped immediately, it has removed at most one batch.
    await startRemovingMessages(server.services)()
    expect((await left(server, channel.id))?.['messages']).toBeGreaterThanOrEqual(6500)
    const stop = startRemovingMessages(server.services)
    await eventually(() => left(server, channel.id)).toEqual({ messages: 0, rooms: 0 })
    await stop()
  })

  test('a room also deletes messages that are sent concurrently', async () => {
    const { server, owner, channel, at, room } = await channelFixture()
    const sending = Array.from({ length: 20 }, () =>
      owner.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Just in time' }),
    )
    const deleted = owner.delete(`${at}/rooms/${room.id}`)
    for (const { status } of await Promise.all(sending)) expect([201, 422]).toContain(status)
    expectOk(await deleted)
    const stop = startRemovingMessages(server.services)
    await eventually(() => left(server, channel.id)).toEqual({ messages: 0, rooms: 0 })
    await stop()
  })
})
