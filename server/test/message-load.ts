import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { channelFixture, type Portal } from './channel-fixture.ts'
import { eventually } from './eventually.ts'
import { Person } from './person.ts'
import { Stream } from './stream.ts'

const SENDERS = 4

interface LoadOptions {
  readonly portal: Portal
  /** The address that everyone connects to. */
  readonly through: { readonly url: string }
  /** What else than 201 may be answered, and is sent again. `broken`: no answer. By default, nothing. */
  readonly repeated?: readonly (number | 'broken')[]
}

/** People who send messages to two rooms of a channel without a pause, and a bot that receives them. */
export async function startMessageLoad({ portal, through, repeated = [] }: LoadOptions) {
  const { owner, bots, room, newRoom } = await channelFixture({ bots: 1, portal })
  const rooms = [room.id, (await newRoom('text')).id]
  const stream = await Stream.of(through, bots[0])
  const acknowledged: string[] = []
  const unacknowledged = new Set<number | 'broken'>()
  const end = new AbortController()
  onTestFinished(() => end.abort())

  const send = async (roomId: string, text: string): Promise<void> => {
    const headers = { 'idempotency-key': randomUUID() }
    const person = new Person(through).known(owner.id, owner.cookie)
    for (;;) {
      const answer = await person
        .request<{ id: string }>('POST', `/rooms/${roomId}/messages`, { channelId: room.channelId, text }, headers)
        .catch(() => ({ status: 'broken' as const, body: undefined }))
      if (answer.status === 201 && answer.body) return void acknowledged.push(answer.body.id)
      unacknowledged.add(answer.status)
      expect(repeated).toContain(answer.status)
      await sleep(20)
    }
  }
  const sending = Array.from({ length: SENDERS }, async (_, who) => {
    for (let count = 0; !end.signal.aborted; count += 1)
      await send(rooms[who % rooms.length] ?? room.id, `${who} ${count}`)
  })
  const sent = Promise.all(sending)
  // Thrown by the next call that waits for messages or for the end.
  sent.catch(() => undefined)

  return {
    stream,
    acknowledged,
    /** What was answered instead of an acknowledgement. */
    unacknowledged,
    /** Waits until so many more messages have been acknowledged. */
    async more(count: number): Promise<void> {
      const before = acknowledged.length
      await Promise.race([sent, eventually(() => acknowledged.length - before).toBeGreaterThan(count)])
    },
    /** Stops sending. Everything acknowledged is stored, and was received once and in the order of its room. */
    async expectNothingLost(): Promise<void> {
      end.abort()
      await sent
      for (const id of rooms) {
        const { rows } = await portal.server.services.database.pool.query<{ id: string }>(
          'SELECT id FROM messages WHERE room_id = $1 ORDER BY id',
          [id],
        )
        const written = rows.map((row) => row.id)
        const received = () => stream.received.map(({ envelope }) => messageOf(envelope.data)).filter(isIn(id))
        await eventually(() => received().map((message) => message.id)).toEqual(written)
      }
      const { rows } = await portal.server.services.database.pool.query<{ id: string }>(
        'SELECT id FROM messages WHERE room_id = ANY ($1::uuid[])',
        [rooms],
      )
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(acknowledged))
    },
  }
}

interface MessageOfEvent {
  readonly id: string
  readonly roomId: string
}

function messageOf(data: Record<string, unknown>): MessageOfEvent {
  const { message, roomId } = data as { message: { id: string }; roomId: string }
  return { id: message.id, roomId }
}

function isIn(roomId: string): (message: MessageOfEvent) => boolean {
  return (message) => message.roomId === roomId
}
