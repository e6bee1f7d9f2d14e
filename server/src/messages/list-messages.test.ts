import type { Message, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

type History = Output<typeof api.listMessages>

/** docs/api-rules.md, “Order and history”. */
describe('listMessages', () => {
  test('returns every remaining message on exactly one page while others are sent and deleted', async () => {
    const { server, channel, bots, newRoom } = await channelFixture({ bots: 2 })
    const [reader, writer] = bots
    const channelId = channel.id
    const scenario = fc.record({
      count: fc.integer({ min: 0, max: 40 }),
      limit: fc.integer({ min: 1, max: 15 }),
      // While a page is read: how many messages are sent, and which of the first ones are deleted.
      turns: fc.array(fc.record({ sends: fc.nat(4), deletes: fc.uniqueArray(fc.nat(39), { maxLength: 4 }) }), {
        maxLength: 12,
      }),
    })

    await fc.assert(
      fc.asyncProperty(scenario, async ({ count, limit, turns }) => {
        const { id: roomId } = await newRoom('text')
        const at = `/rooms/${roomId}/messages`
        const first = Array.from({ length: count }, () => newId())
        if (count > 0) await insert(first, roomId)
        const deleted = new Set<string>()
        const sent = new Set<string>()
        const seen: string[] = []
        let before = ''
        for (let turn = 0; ; turn += 1) {
          const { sends = 0, deletes = [] } = turns[turn] ?? {}
          const doomed = deletes.flatMap((index) => first[index] ?? []).filter((id) => !deleted.has(id))
          const sending = Array.from({ length: sends }, () => writer.post<Message>(at, { channelId, text: 'New' }))
          const deleting = doomed.map((id) => writer.delete(`${at}/${id}`, { channelId }))
          const page = await reader.get<History>(`${at}?channelId=${channelId}&limit=${limit}${before}`)
          for (const answer of await Promise.all(sending)) sent.add(expectOk(answer).id)
          for (const answer of await Promise.all(deleting)) expectOk(answer)
          for (const id of doomed) deleted.add(id)
          const { messages, hasMore } = expectOk(page)
          expect(messages.length).toBe(hasMore ? limit : Math.min(limit, messages.length))
          seen.push(...messages.map(({ id }) => id))
          if (!hasMore) break
          before = `&beforeId=${messages.at(-1)?.id}`
        }
        expect(seen).toEqual(seen.toSorted().toReversed())
        expect(new Set(seen).size).toBe(seen.length)
        expect(seen.filter((id) => !first.includes(id) && !sent.has(id))).toEqual([])
        const staying = first.filter((id) => !deleted.has(id))
        expect(staying.filter((id) => !seen.includes(id))).toEqual([])
      }),
      { numRuns: 15 },
    )

    async function insert(ids: readonly string[], roomId: string): Promise<void> {
      const created_at = new Date().toISOString()
      const common = { channel_id: channelId, room_id: roomId, author_id: writer.id, text: 'Old', created_at }
      await server.services.database.kysely
        .insertInto('messages')
        .values(ids.map((id) => ({ id, ...common })))
        .execute()
    }
  })

  test('shows an acknowledged message on the next first page, newest first', async () => {
    const { channel, bots, room } = await channelFixture({ bots: 3 })
    const at = `/rooms/${room.id}/messages`
    const body = { channelId: channel.id, text: 'Hello' }
    const sent = await Promise.all(bots.flatMap((bot) => [1, 2, 3, 4, 5].map(() => bot.post<Message>(at, body))))
    const { messages } = expectOk(await bots[0].get<History>(`${at}?channelId=${channel.id}&limit=100`))
    expect(messages.map(({ id }) => id)).toEqual(
      sent
        .map((answer) => expectOk(answer).id)
        .toSorted()
        .toReversed(),
    )
    const times = messages.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  describe('beforeId and limit', () => {
    const fixture = botApiFixture()

    const room = async (count: number) => {
      const { server, bot, channel, newRoom } = await fixture
      const { id: roomId } = await newRoom('text')
      const ids = Array.from({ length: count }, () => newId())
      const created_at = new Date().toISOString()
      await server.services.database.kysely
        .insertInto('messages')
        .values(
          ids.map((id, n) => ({
            id,
            channel_id: channel.id,
            room_id: roomId,
            author_id: bot.id,
            text: `${n}`,
            created_at,
          })),
        )
        .execute()
      const at = `/rooms/${roomId}/messages`
      const page = (query: string) => bot.get<History>(`${at}?channelId=${channel.id}${query}`)
      return { bot, channel, at, ids: ids.toReversed(), page }
    }

    test('return 50 messages by default and at most 100', async () => {
      const { ids, page } = await room(101)
      expect(expectOk(await page('')).messages.map(({ id }) => id)).toEqual(ids.slice(0, 50))
      expect(expectOk(await page('&limit=100')).messages).toHaveLength(100)
      expect(expectOk(await page('&limit=1')).messages).toHaveLength(1)
      for (const limit of ['0', '101', '-1', '1.5', 'ten', '', 'null', '1e9', '0x10', ' 5', '5&limit=6']) {
        expect(await page(`&limit=${limit}`), limit).toMatchObject({ status: 400, body: { field: 'limit' } })
      }
    })

    test('accept a deleted message as the cursor', async () => {
      const { bot, channel, at, ids, page } = await room(5)
      expectOk(await bot.delete(`${at}/${ids[2]}`, { channelId: channel.id }))
      const { messages, hasMore } = expectOk(await page(`&beforeId=${ids[2]}`))
      expect([messages.map(({ id }) => id), hasMore]).toEqual([ids.slice(3), false])
    })

    test('reject a cursor that is not a message of the room', async () => {
      const { page } = await room(1)
      const other = await room(1)
      for (const beforeId of [other.ids[0], newId()]) {
        expect(await page(`&beforeId=${beforeId}`)).toMatchObject({ status: 422, body: { reason: 'no_such_message' } })
      }
    })

    test('answer an exact hasMore at the edges', async () => {
      const { ids, page } = await room(4)
      expect(expectOk(await page('&limit=4')).hasMore).toBe(false)
      expect(expectOk(await page('&limit=3')).hasMore).toBe(true)
      expect(expectOk(await page(`&limit=3&beforeId=${ids[0]}`)).hasMore).toBe(false)
      expect(expectOk(await page(`&beforeId=${ids[3]}`))).toEqual({ messages: [], hasMore: false })
    })
  })
})
