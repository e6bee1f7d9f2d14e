import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import type { TestServer } from '../start-server.ts'
import { Stream } from '../stream.ts'
import { expectOk, channelFixture } from '../channel-fixture.ts'

const PEOPLE = 16
const BOTS = 4
const EACH = 16

interface Page {
  readonly messages: readonly Message[]
  readonly hasMore: boolean
}

/** docs/api-rules.md, “Order and history”: history, `createdAt`, message ids and events agree on one order. */
describe('the order of a channel', () => {
  test('is the same in history, times, ids and events under concurrent writes', async () => {
    const { server, people, bots, owner, room, newBot, channel } = await channelFixture({ people: PEOPLE, bots: BOTS })
    const listener = await newBot()
    const poller = await newBot()
    const stream = await Stream.of(server, listener)
    const messages = `/rooms/${room.id}/messages`
    const first = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: 'Ready?' }))

    /** Reads everything that is newer than the newest message it has seen, as a bot does that polls. */
    const seen: Message[] = [first]
    const poll = async (): Promise<void> => {
      const newer: Message[] = []
      for (let before = ''; ;) {
        const path = `/rooms/${room.id}/messages?channelId=${channel.id}&limit=100${before}`
        const page = expectOk(await poller.get<Page>(path)).messages
        const unseen = page.filter(({ id }) => id > seen.at(-1)!.id)
        newer.push(...unseen)
        if (unseen.length < page.length || page.length === 0) break
        before = `&beforeId=${page.at(-1)!.id}`
      }
      seen.push(...newer.toReversed())
    }

    const written = new AbortController()
    const polling = (async () => {
      while (!written.signal.aborted) await poll()
      await poll()
    })()
    const sent: Message[] = [first]
    const write = async (send: (body: object, index: number) => Promise<Message>): Promise<void> => {
      for (let index = 0; index < EACH; index += 1) {
        const { id: channelId } = channel
        const mention = people[(index * 7) % PEOPLE]!.id
        const body = [
          { channelId, text: `busy ${index}` },
          { channelId, text: `busy ${index} <@${mention}>` },
          { channelId, text: `busy ${index}`, replyToId: first.id },
          { channelId, text: `busy ${index} <@${mention}>`, replyToId: first.id },
        ][index % 4]!
        sent.push(await send(body, index))
      }
    }
    await Promise.all([
      ...people.map((person, one) =>
        write(async (body, index) => {
          const headers = index % 2 ? { 'idempotency-key': `${one}-${index}` } : {}
          return expectOk(await person.request<Message>('POST', messages, body, headers))
        }),
      ),
      ...bots.map((bot, one) =>
        write(async (body, index) => {
          const headers = index % 2 ? { 'idempotency-key': `${one}-${index}` } : {}
          return expectOk(await bot.post<Message>(messages, body, headers))
        }),
      ),
    ])
    written.abort()
    await polling

    const count = 1 + (PEOPLE + BOTS) * EACH
    expect(sent).toHaveLength(count)
    const byId = sent.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    expect(new Set(byId).size).toBe(count)
    // Nothing appeared below what had been seen already.
    expect(seen.map(({ id }) => id)).toEqual(byId)
    const times = seen.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted())

    await stream.first(count)
    const published = stream.received.map(({ envelope }) => envelope)
    expect(published.map(({ data }) => (data['message'] as Message).id)).toEqual(byId)
    for (const { data, timestamp } of published) expect((data['message'] as Message).createdAt).toBe(timestamp)
    // The response, the history and the event contain the same message.
    const answers = new Map(sent.map((message) => [message.id, message]))
    for (const message of seen) expect(answers.get(message.id)).toMatchObject(message)
    for (const { data } of published) expect(answers.get((data['message'] as Message).id)).toEqual(data['message'])
  })

  test('continues after the clock was set back', async () => {
    const { server, owner, room, bots, channel } = await channelFixture({ bots: 1 })
    const messages = `/rooms/${room.id}/messages`
    const ahead = expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: 'An hour ahead' }))
    const id = await moveAnHourAhead(server, ahead.id)

    const later: Message[] = []
    for (const index of [1, 2, 3])
      later.push(expectOk(await owner.post<Message>(messages, { channelId: channel.id, text: `Corrected ${index}` })))
    later.push(expectOk(await bots[0].post<Message>(messages, { channelId: channel.id, text: 'And so are bots' })))
    const page = expectOk(await bots[0].get<Page>(`/rooms/${room.id}/messages?channelId=${channel.id}`))
    const ids = [id, ...later.map(({ id }) => id)]
    expect(page.messages.map(({ id }) => id)).toEqual(ids.toReversed())
    const times = page.messages.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted().toReversed())
  })

  test('includes edits, pins and deletions, also after the clock was set back', async () => {
    const { server, owner, room, bots, channel } = await channelFixture({ bots: 1 })
    const { id: channelId } = channel
    const stream = await Stream.of(server, bots[0])
    const messages = `/rooms/${room.id}/messages`
    const say = async (text: string) => expectOk(await owner.post<Message>(messages, { channelId, text }))
    const pin = async (id: string) =>
      expectOk(await owner.post<{ pinnedAt: string }>(`${messages}/${id}/pin`, { channelId })).pinnedAt
    const ahead = await say('An hour ahead')
    await pin(ahead.id)
    const aheadId = await moveAnHourAhead(server, ahead.id)

    const { id, createdAt } = await say('Corrected')
    const pinnedAt = await pin(id)
    const text = 'Edited'
    const { editedAt } = expectOk(await owner.patch<{ editedAt: string }>(`${messages}/${id}`, { channelId, text }))
    expect(pinnedAt >= createdAt).toBe(true)
    expect(editedAt >= pinnedAt).toBe(true)
    const pins = expectOk(await owner.get<Page>(`/rooms/${room.id}/pins?channelId=${channelId}`))
    expect(pins.messages).toMatchObject([{ id, pinnedAt, editedAt }, { id: aheadId }])

    expectOk(await owner.delete(`${messages}/${id}`, { channelId }))
    const [, , edited, deleted] = await stream.first(4)
    expect(edited).toMatchObject({ timestamp: editedAt, data: { message: { id, editedAt } } })
    expect(deleted).toMatchObject({
      event: 'message.deleted',
      data: { message: { id, deletedAt: deleted?.timestamp } },
    })
    expect(String(deleted?.timestamp) >= editedAt).toBe(true)
  })
})

/** As if the clock had been an hour ahead when the message was written, and in its channel until now. Returns its new id. */
async function moveAnHourAhead({ services }: TestServer, messageId: string): Promise<string> {
  const { pool } = services.database
  const moved = await pool.query<{ id: string; channelId: string }>(
    `UPDATE messages SET created_at = created_at + interval '1 hour', pinned_at = pinned_at + interval '1 hour',
      id = (lpad(to_hex(floor(extract(epoch FROM created_at + interval '1 hour') * 1000)::bigint), 12, '0') || substr(id::text, 14))::uuid
    WHERE id = $1 RETURNING id, channel_id AS "channelId"`,
    [messageId],
  )
  const { id, channelId } = moved.rows[0]!
  await pool.query(`UPDATE events SET created_at = created_at + interval '1 hour' WHERE channel_id = $1`, [channelId])
  return id
}
