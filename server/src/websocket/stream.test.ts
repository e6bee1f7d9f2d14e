import { describe, expect, test } from 'vitest'
import { manyEvents } from '../../test/many-events.ts'
import { RawSocket } from '../../test/raw-socket.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('the event stream', () => {
  test.each(['json', 'protobuf'] as const)(
    '31–33: delivers everything except the bot’s own actions, with the official client in %s',
    async (codec) => {
      const { server, owner, bots, room, newRoom } = await channelFixture({ bots: 2 })
      const [listener, other] = bots
      const voice = await newRoom('voice')
      const stream = await Stream.of(server, listener, codec)
      const at = `/rooms/${room.id}/messages`
      const { channelId } = room

      const own = expectOk(await listener.post<{ id: string }>(at, { channelId, text: 'mine' }))
      const message = expectOk(
        await other.post<{ id: string; createdAt: string }>(at, { channelId, text: 'a **bold** word' }),
      )
      const edited = expectOk(
        await other.patch<{ editedAt: string }>(`${at}/${message.id}`, { channelId, text: 'new' }),
      )
      expectOk(await other.post(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
      expectOk(await listener.post(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
      expectOk(await owner.post(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
      expectOk(await other.delete(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
      expectOk(await other.delete(`${at}/${message.id}`, { channelId }))
      expectOk(await owner.put(`/channels/${channelId}/members/${owner.id}/nickname`, { nickname: 'Boss' }))
      expectOk(await owner.post(`/rooms/${voice.id}/voice`, { channelId }))
      expectOk(await listener.post(`/rooms/${voice.id}/voice`, { channelId }))
      expectOk(await listener.delete(`/rooms/${voice.id}/voice`))
      expectOk(await owner.delete(`/rooms/${voice.id}/voice`))

      const author = { id: other.id, name: other.name }
      const boss = { id: owner.id, name: owner.name }
      const reaction = { roomId: room.id, messageId: message.id, emoji: '👍' }
      const events = await stream.first(8)
      expect(events.map(({ event, data }) => [event, data])).toEqual([
        [
          'message.created',
          {
            roomId: room.id,
            message: { id: message.id, text: 'a **bold** word', createdAt: message.createdAt, author },
          },
        ],
        [
          'message.updated',
          { roomId: room.id, message: { id: message.id, text: 'new', editedAt: edited.editedAt, author } },
        ],
        ['reaction.added', { ...reaction, totalCount: 1, user: author }],
        ['reaction.added', { ...reaction, totalCount: 3, user: boss }],
        ['reaction.removed', { ...reaction, totalCount: 2, user: author }],
        ['message.deleted', { roomId: room.id, message: { id: message.id, deletedAt: expect.any(String), author } }],
        ['voice.member_joined', { roomId: voice.id, user: { id: owner.id, name: 'Boss' } }],
        ['voice.member_left', { roomId: null, user: { id: owner.id } }],
      ])
      for (const event of events) {
        expect(Object.keys(event)).toEqual(['event', 'timestamp', 'channelId', 'data'])
        expect(event.channelId).toBe(channelId)
        expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp)
      }
      expect(own.id).toBeDefined()
      expect(stream.received.map(({ offset }) => offset)).toEqual(
        stream.received.map(({ offset }) => offset).toSorted((a, b) => a - b),
      )
    },
  )

  test('33: recovers what was missed during a cut, once and in order', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const stream = await Stream.of(server, bots[0])
    const say = async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await say('0')
    await stream.first(1)
    for (let round = 0; round < 5; round += 1) {
      stream.cut()
      for (const part of ['a', 'b', 'c']) await say(`${round}${part}`)
      await stream.first(1 + (round + 1) * 3)
    }
    const texts = stream.received.map(({ envelope }) => (envelope.data['message'] as { text: string }).text)
    expect(texts).toEqual([
      '0',
      ...[0, 1, 2, 3, 4].flatMap((round) => ['a', 'b', 'c'].map((part) => `${round}${part}`)),
    ])
    expect(stream.subscriptions.slice(1).every(({ wasRecovering, recovered }) => wasRecovering && recovered)).toBe(true)
  })

  test('34: reports that trimmed events cannot be recovered, and continues with new ones', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const stream = await Stream.of(server, bots[0])
    const say = async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await say('seen')
    await stream.first(1)
    stream.client.disconnect()
    await say('too old')
    // The newest event stays, whatever its age.
    await say('newest')
    const { kysely, pool } = server.services.database
    await kysely
      .updateTable('events')
      .set({ created_at: '2020-01-01T00:00:00Z' })
      .where('channel_id', '=', room.channelId)
      .execute()
    const { trimEvents } = await import('../events/trim.ts')
    await trimEvents(pool)
    stream.client.connect()
    await stream.until(() => stream.subscriptions.length > 1)
    expect(stream.subscriptions[1]).toMatchObject({ wasRecovering: true, recovered: false })
    await say('new')
    const [, event] = await stream.first(2)
    expect(event).toMatchObject({ data: { message: { text: 'new' } } })
  })

  test('34: recovers across trimmed events of other channels, however old its own last event is', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const elsewhere = await channelFixture()
    const stream = await Stream.of(server, bots[0])
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'seen' }))
    await stream.first(1)
    stream.cut()
    const { id, channelId } = elsewhere.room
    expectOk(await elsewhere.owner.post(`/rooms/${id}/messages`, { channelId, text: 'noise' }))
    const { kysely, pool } = server.services.database
    await kysely
      .updateTable('events')
      .set({ created_at: '2020-01-01T00:00:00Z' })
      .where('channel_id', '=', channelId)
      .execute()
    const { trimEvents } = await import('../events/trim.ts')
    await trimEvents(pool)
    await stream.until(() => stream.subscriptions.length > 1)
    expect(stream.subscriptions[1]).toMatchObject({ wasRecovering: true, recovered: true })
  })

  test('contains only events between installation and removal', async () => {
    const { server, owner, bots, at, room, install } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const stream = await Stream.of(server, bot)
    const say = async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await say('installed')
    await stream.first(1)
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await say('removed')
    stream.cut()
    await stream.until(() => stream.subscriptions.length > 1)
    await install(bot)
    await say('again')
    const texts = (await stream.first(2)).map(({ data }) => (data['message'] as { text: string }).text)
    expect(texts).toEqual(['installed', 'again'])
  })

  test('contains private rooms only for admitted bots, and private voice rooms for none', async () => {
    const { server, owner, bots, at, room, newRoom } = await channelFixture({ bots: 2 })
    const [admitted, stranger] = bots
    const secret = await newRoom('text', { private: true })
    const stage = await newRoom('voice', { private: true })
    for (const { id } of [secret, stage]) {
      expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [admitted.id, owner.id] }))
    }
    const [inside, outside] = [await Stream.of(server, admitted), await Stream.of(server, stranger)]
    const { channelId } = room
    expectOk(await owner.post(`/rooms/${secret.id}/messages`, { channelId, text: 'secret' }))
    expectOk(await owner.post(`/rooms/${stage.id}/voice`, { channelId }))
    expectOk(await owner.delete(`/rooms/${stage.id}/voice`))
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId, text: 'open' }))
    const texts = async (stream: Stream, count: number) =>
      (await stream.first(count)).map(({ data }) => (data['message'] as { text: string } | undefined)?.text)
    expect(await texts(outside, 1)).toEqual(['open'])
    expect(await texts(inside, 2)).toEqual(['secret', 'open'])
  })

  test('44: ends permanently when the key is re-issued, loses its scope or is deleted with the application', async () => {
    const { server, owner, bots } = await channelFixture({ bots: 3 })
    const [reissued, narrowed, deleted] = bots
    const streams = await Promise.all(bots.map((bot) => Stream.of(server, bot)))
    await reissued.reissue()
    await narrowed.reissue(['channel:read'])
    expectOk(await owner.delete(`/applications/${deleted.application.id}`, { name: deleted.application.name }))
    for (const stream of streams) expect(await stream.disconnected).toMatchObject({ code: 3503 })
    expect((await narrowed.get('/events/token')).body).toMatchObject({ requiredScope: 'events' })
  })

  test('25: is replaced by a second process, which stays', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const first = await Stream.of(server, bots[0])
    const second = await Stream.of(server, bots[0])
    expect(await first.disconnected).toMatchObject({ code: 3504, reason: expect.stringMatching(/displaced/) })
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'who receives this?' }))
    await second.first(1)
    expect(first.received).toEqual([])
    expect(first.sockets.length + second.sockets.length).toBe(2)
  })

  test('32, 38: is complete and in order while many write concurrently and listeners join', async () => {
    const { server, owner, people, bots, room } = await channelFixture({ people: 3, bots: 3 })
    const speakers = [owner, ...people]
    const spoken = Promise.all(
      speakers.map(async (speaker, index) => {
        for (let count = 0; count < 40; count += 1) {
          expectOk(
            await speaker.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: `${index} ${count}` }),
          )
        }
      }),
    )
    const streams: Stream[] = []
    for (const bot of bots) streams.push(await Stream.of(server, bot))
    await spoken
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'end' }))
    for (const stream of streams) {
      const textOf = (index: number) =>
        (stream.received[index]?.envelope.data['message'] as { text: string } | undefined)?.text
      await stream.until(() => textOf(stream.received.length - 1) === 'end')
      const offsets = stream.received.map(({ offset }) => offset)
      expect(offsets).toEqual([...new Set(offsets)].toSorted((a, b) => a - b))
      for (const speaker of speakers.keys()) {
        const counts = stream.received
          .map((_, index) => textOf(index)?.split(' ') ?? [])
          .filter(([who]) => who === String(speaker))
          .map(([, count]) => Number(count))
        // From its start to the end, without gaps.
        expect(counts).toEqual(Array.from({ length: counts.length }, (_, index) => 40 - counts.length + index))
      }
    }
  })

  test('12, 45: sends one message per frame, and closes with a plain-text reason', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const token = expectOk(await bots[0].get<{ token: string }>('/events/token')).token
    const raw = await RawSocket.open(server)
    raw.send({ id: 1, connect: { token } }, { id: 2, subscribe: { channel: 'events' } })
    await raw.next()
    await raw.next()
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: `${index}` }),
      ),
    )
    for (let count = 0; count < 20; count += 1) await raw.next()
    expect(raw.frames.every((frame) => !frame.includes('\n'))).toBe(true)
    await bots[0].reissue()
    const { reason } = await raw.closed
    expect(Buffer.byteLength(reason)).toBeGreaterThan(0)
    expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
    expect(() => JSON.parse(reason)).toThrow()
  })

  test('42: disconnects a client that does not read, with bounded memory', async () => {
    const { server, bots, room } = await channelFixture({ bots: 2 })
    const token = expectOk(await bots[0].get<{ token: string }>('/events/token')).token
    const raw = await RawSocket.open(server)
    raw.send({ id: 1, connect: { token } }, { id: 2, subscribe: { channel: 'events' } })
    await raw.next()
    await raw.next()
    raw.socket.pause()
    const other = await Stream.of(server, bots[1])
    const isConnected = async () => (await server.services.presence.onlineIn(room.channelId)).has(bots[0].id)
    // In addition to the process's own buffer, the kernel buffers some megabytes.
    for (let sent = 0; (await isConnected()) && sent < 10_000; await other.first(sent)) {
      await manyEvents(server, room, 100)
      sent += 100
    }
    expect(await isConnected()).toBe(false)
    const count = other.received.length
    await manyEvents(server, room, 1)
    await other.first(count + 1)
    raw.socket.resume()
    await raw.closed
    const delivered = raw.frames.filter((frame) => frame.includes('message.created')).length
    expect(delivered).toBeLessThanOrEqual(count)
  })
})
