import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../../server/test/channel-fixture.ts'
import { Client } from '../index.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../../test/sending-program.ts')

const ROOMS = 8
const SENDS = 1000
/** Fewer than the sends, so that they take two windows of a minute. */
const WRITES = 600

// Both take a little more than the window of the quota, so they run at the same time.
describe.concurrent('a client that sends more than its quota', () => {
  test('sends everything in order per room, exactly once and without a single 429', async () => {
    const { administrator } = await portal()
    const { server, channel, newRoom, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const limits = { requests: 800, writes: WRITES }
    expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, limits))
    const rooms = await Promise.all(Array.from({ length: ROOMS }, async () => (await newRoom('text')).id))
    const statuses: number[] = []
    const client = new Client({
      url: server.url,
      key: bot.key,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        statuses.push(response.status)
        return response
      },
    })
    const roomOf = (position: number) => rooms[position % ROOMS] ?? ''
    const sends = Array.from({ length: SENDS }, (_, position) =>
      client.sendMessage({ channelId: channel.id, roomId: roomOf(position), text: `${position}` }),
    )
    await Promise.all(sends)
    expect(statuses).toEqual(Array.from({ length: SENDS }, () => 201))

    for (const roomId of rooms) {
      const { kysely } = server.services.database
      const rows = await kysely
        .selectFrom('messages')
        .select('text')
        .where('room_id', '=', roomId)
        .orderBy('id')
        .execute()
      const expected = Array.from({ length: SENDS }, (_, position) => position).filter(
        (position) => roomOf(position) === roomId,
      )
      expect(rows.map(({ text }) => Number(text))).toEqual(expected)
    }
  })

  test('loses nothing if another process uses the same key, and waits when it gets a 429', async () => {
    const { administrator } = await portal()
    const { server, channel, room, newRoom, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, { requests: 60, writes: 20 }))
    const rooms = [room.id, (await newRoom('text')).id]
    const sends = rooms.map((roomId) => run(process.execPath, [program, server.url, bot.key, channel.id, roomId, '15']))
    const statuses = (await Promise.all(sends)).map(({ stdout }) => JSON.parse(stdout) as number[])
    expect(statuses.flat()).toContain(429)
    for (const each of statuses) expect(each.filter((status) => status !== 429)).toEqual(Array(15).fill(201))

    for (const roomId of rooms) {
      const { kysely } = server.services.database
      const rows = kysely.selectFrom('messages').select('text').where('room_id', '=', roomId).orderBy('id')
      const texts = (await rows.execute()).map(({ text }) => Number(text))
      expect(texts).toEqual(Array.from({ length: 15 }, (_, position) => position))
    }
  })
})
