import {
  messageAppended,
  messageCreated,
  messageDeleted,
  messageUpdated,
  type Message,
  type Output,
} from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { auditLog } from '../../test/audit-log.ts'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { Stream } from '../../test/stream.ts'
import { newId } from '../operations/ids.ts'

const { server } = await portal()
const { pool } = server.services.database

interface Place {
  readonly id: string
  readonly channelId: string
}

function start(bot: Bot, { id, channelId }: Place, text = 'Build', more: object = {}, headers = {}) {
  return bot.post<Message>(`/rooms/${id}/messages/streams`, { channelId, text, ...more }, headers)
}

function append(bot: Bot, { id, channelId }: Place, messageId: string, position: number, text: string) {
  const path = `/rooms/${id}/messages/${messageId}/append`
  return bot.post<Output<typeof api.appendToMessage>>(path, { channelId, position, text })
}

function finish(bot: Bot, { id, channelId }: Place, messageId: string, more: object = {}) {
  const path = `/rooms/${id}/messages/${messageId}/finish`
  return bot.post<Output<typeof api.finishMessage>>(path, { channelId, ...more })
}

async function history(reader: Bot | Person, { id, channelId }: Place): Promise<Message[]> {
  const path = `/rooms/${id}/messages?channelId=${channelId}`
  return expectOk(await reader.get<{ messages: Message[] }>(path)).messages
}

/** The message as a portal that opens the room now shows it. */
async function shown(person: Person, { id, channelId }: Place, messageId: string) {
  const path = `/rooms/${id}/history?channelId=${channelId}`
  const { messages } = expectOk(await person.get<Output<typeof api.readHistory>>(path))
  return messages.find((message) => message.id === messageId)
}

/** What a portal has of a message after these events. */
async function grown(open: OpenPortal, text: string, length: number): Promise<string> {
  let grown = text
  while (grown.length < length) {
    const { data } = await open.next(messageAppended)
    expect(data.position).toBe(grown.length)
    grown += data.text
  }
  return grown
}

/** As if nothing had been appended for long. */
async function fallSilent(messageId: string): Promise<void> {
  const change = `UPDATE message_streams SET appended_at = now() - interval '61 seconds' WHERE message_id = $1`
  await pool.query(change, [messageId])
}

function ended(person: Person, room: Place, messageId: string) {
  return eventually(() => shown(person, room, messageId)).toMatchObject({ streaming: 'interrupted' })
}

describe('a message that is being written', () => {
  test('grows in the portals that show the room, and for bots is created and updated once', async () => {
    const { owner, people, bots, room } = await channelFixture({ people: 1, bots: 2 })
    const [bot, other] = bots
    const stream = await Stream.of(server, other)
    const open = await OpenPortal.of(server, people[0])
    await open.show(room.id)
    const elsewhere = await OpenPortal.of(server, owner)
    const { id, streaming } = expectOk(await start(bot, room))
    expect(streaming).toBe('writing')
    expect((await open.next(messageCreated)).data.message).toMatchObject({ id, text: 'Build', streaming: 'writing' })

    let position = 5
    for (const piece of [' 1.4.0', ' is', '\n', 'green 🟢']) {
      const appended = expectOk(await append(bot, room, id, position, piece))
      position += [...piece].length
      expect(appended).toEqual({ id, position })
    }
    const text = 'Build 1.4.0 is\ngreen 🟢'
    expect(await grown(open, 'Build', text.length)).toBe(text)
    for (const reader of [bot, other, owner]) {
      expect((await history(reader, room))[0]).toMatchObject({ id, text, streaming: 'writing' })
    }
    expect(await shown(people[0], room, id)).toMatchObject({ text, streaming: 'writing' })

    expect(expectOk(await finish(bot, room, id, { position }))).toEqual({ id, text })
    const updated = { id, text, streaming: 'finished', editedAt: expect.any(String) as string }
    expect((await open.next(messageUpdated)).data.message).toMatchObject(updated)
    expect((await elsewhere.next(messageUpdated)).data.message).toMatchObject(updated)
    expect(elsewhere.kinds).not.toContain('message.appended')
    await stream.first(2)
    expect(stream.received.map(({ envelope }) => envelope.event)).toEqual(['message.created', 'message.updated'])
    const [message] = await history(other, room)
    expect(message).toMatchObject({ id, text })
    expect(message).not.toHaveProperty('streaming')
    expect(message).not.toHaveProperty('editedAt')
    const { rowCount } = await pool.query('SELECT FROM message_streams WHERE message_id = $1', [id])
    expect(rowCount).toBe(0)
  })

  test('is sent to portals in parts, not with every append', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const open = await OpenPortal.of(server, owner)
    await open.show(room.id)
    const { id } = expectOk(await start(bots[0], room, 'a'))
    const began = performance.now()
    const appended = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        // All are there before the first is answered; each is appended when what comes before it is.
        for (;;) {
          const answer = await append(bots[0], room, id, at + 1, 'b')
          if (answer.status === 200) return answer
          expect([422, 429]).toContain(answer.status)
        }
      }),
    )
    expect(appended).toHaveLength(10)
    expect(await grown(open, 'a', 11)).toBe('abbbbbbbbbb')
    // Not more parts than intervals went by.
    const parts = open.eventsOf(messageAppended).length
    expect(parts).toBeLessThanOrEqual(1 + (performance.now() - began) / 140)
  })

  test('is appended to once, however often a request is repeated', async () => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { id } = expectOk(await start(bot, room, 'one'))
    expect(expectOk(await append(bot, room, id, 3, ' two'))).toEqual({ id, position: 7 })
    expect(expectOk(await append(bot, room, id, 3, ' two'))).toEqual({ id, position: 7 })
    expect(expectOk(await append(bot, room, id, 0, 'one'))).toEqual({ id, position: 7 })
    // What is there already is left out.
    expect(expectOk(await append(bot, room, id, 3, ' two three'))).toEqual({ id, position: 13 })
    const wrong = { reason: 'wrong_position' } as const
    expectRefusal(await append(bot, room, id, 14, 'four'), 'unprocessable', wrong)
    expectRefusal(await append(bot, room, id, 3, ' other'), 'unprocessable', wrong)
    expectRefusal(await finish(bot, room, id, { position: 12 }), 'unprocessable', wrong)
    expect(expectOk(await finish(bot, room, id, { position: 13 }))).toEqual({ id, text: 'one two three' })
    expect(expectOk(await finish(bot, room, id, { position: 13 }))).toEqual({ id, text: 'one two three' })
    const over = { reason: 'stream_ended' } as const
    expectRefusal(await finish(bot, room, id, { interrupted: true }), 'unprocessable', over)
    expectRefusal(await append(bot, room, id, 13, ' four'), 'unprocessable', over)
    const [message] = await history(bot, room)
    expect(message?.text).toBe('one two three')
  })

  test('is started once for each Idempotency-Key', async () => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const once = { 'idempotency-key': newId() }
    const { id } = expectOk(await start(bots[0], room, 'Once', {}, once))
    expect(expectOk(await start(bots[0], room, 'Once', {}, once)).id).toBe(id)
    const path = `/rooms/${room.id}/messages`
    const sent = await bots[0].post(path, { channelId: room.channelId, text: 'Once' }, once)
    expectRefusal(sent, 'unprocessable', { reason: 'idempotency_key_reused' })
    expect(await history(bots[0], room)).toHaveLength(1)
  })

  test('can have 4,000 characters, and no piece is appended in part', async () => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const { id } = expectOk(await start(bots[0], room, '🟢'.repeat(3999)))
    expectRefusal(await append(bots[0], room, id, 3999, 'ab'), 'unprocessable', { reason: 'message_too_long' })
    expect(expectOk(await append(bots[0], room, id, 3999, 'a'))).toEqual({ id, position: 4000 })
    expect(await start(bots[0], room, ' ')).toMatchObject({ status: 400, body: { field: 'text' } })
    for (const text of ['', 'a\0', '\ud83d', 'a'.repeat(4001)]) {
      expect(await append(bots[0], room, id, 4000, text)).toMatchObject({ status: 400, body: { field: 'text' } })
    }
  })

  test('can’t be edited, and can be replied to, pinned and reacted to', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const { channelId } = room
    const path = `/rooms/${room.id}/messages`
    const { id } = expectOk(await start(bots[0], room, 'Think'))
    const edited = await bots[0].patch(`${path}/${id}`, { channelId, text: 'Other' })
    expectRefusal(edited, 'unprocessable', { reason: 'still_writing' })
    expectOk(await append(bots[0], room, id, 5, 'ing'))
    expectOk(await owner.post(`${path}/${id}/reactions`, { channelId, emoji: '👍' }))
    expectOk(await owner.post(`${path}/${id}/pin`, { channelId }))
    const reply = expectOk(await owner.post<Message>(path, { channelId, text: 'And?', replyToId: id }))
    expect((await shown(owner, room, reply.id))?.replyTo?.text).toBe('Thinking')
    expectOk(await finish(bots[0], room, id))
    expect(await shown(owner, room, id)).toMatchObject({ text: 'Thinking', reactions: [{ emoji: '👍' }] })
    expectOk(await bots[0].patch(`${path}/${id}`, { channelId, text: 'Thought' }))
  })

  test('is found by its whole text once it is complete', async () => {
    const { owner, bots, room, at } = await channelFixture({ bots: 1 })
    const { id } = expectOk(await start(bots[0], room, 'quokka'))
    expectOk(await append(bots[0], room, id, 6, ' and wombat'))
    const hits = async (q: string) =>
      expectOk(await owner.get<Output<typeof api.searchMessages>>(`${at}/search?q=${q}`)).hits
    expect((await hits('quokka')).map(({ message }) => message.text)).toEqual(['quokka and wombat'])
    expect(await hits('wombat')).toEqual([])
    expectOk(await finish(bots[0], room, id))
    expect((await hits('wombat')).map(({ message }) => message.id)).toEqual([id])
  })

  test('mentions those of its beginning; later mentions have names and notify no one', async () => {
    const { people, bots, room } = await channelFixture({ people: 2, bots: 1 })
    const [ada, ben] = people
    const { id } = expectOk(await start(bots[0], room, `<@${ada.id}>`))
    const length = 5 + ada.id.length - 2
    expectOk(await append(bots[0], room, id, length, ` ask <@${ben.id}>`))
    expectOk(await finish(bots[0], room, id))
    const mentions = async (person: Person) =>
      expectOk(await person.get<Output<typeof api.listReadStates>>('/read-states')).rooms.find(
        ({ roomId }) => roomId === room.id,
      )?.mentions
    expect([await mentions(ada), await mentions(ben)]).toEqual([1, 0])
    expect((await shown(ada, room, id))?.mentions.map((one) => one.id)).toEqual([ada.id, ben.id])
  })
})

describe('startMessage', () => {
  test('allows an application three messages at the same time', async () => {
    const { bots, room } = await channelFixture({ bots: 2 })
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => start(bots[0], room)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.find(({ status }) => status !== 201)
    if (refused) expectRefusal(refused, 'unprocessable', { reason: 'too_many_streams' })
    expectOk(await start(bots[1], room))
    const one = answers.find(({ status }) => status === 201)?.body as Message
    expectOk(await finish(bots[0], room, one.id))
    expectOk(await start(bots[0], room))
  })

  test('uses the write quota, and appends none but their own', async () => {
    const { bots, room } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const started = await start(bot, room, 'a')
    expect(started.headers.get('x-ratelimit-limit')).toBe('20')
    const { id } = expectOk(started)
    const left = async () => Number((await bot.get('/me')).headers.get('x-ratelimit-remaining'))
    const before = await left()
    const appended = await append(bot, room, id, 1, 'b')
    expect(appended.status).toBe(200)
    expect(appended.headers.get('x-ratelimit-limit')).toBe('10')
    // Others append as well, as often as they may.
    const others = setInterval(() => {
      while (server.services.appendQuotas.take(bot.application.id, id) !== undefined);
    })
    try {
      const answers = async () => (await append(bot, room, id, 2, 'c')).status
      await eventually(answers).toBe(429)
      const refused = await append(bot, room, id, 2, 'c')
      expectRefusal(refused, 'tooManyRequests', { retryAfterSec: 1 })
      expect(refused.headers.get('x-ratelimit-limit')).toBe('10')
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(refused.headers.get('retry-after')).toBe('1')
    } finally {
      clearInterval(others)
    }
    expect(await left()).toBe(before - 1)
    await eventually(async () => (await append(bot, room, id, 2, 'c')).status).toBe(200)
  })
})

describe('appendToMessage', () => {
  test('refuses messages of others, of other rooms, sent as a whole or deleted', async () => {
    const { bots, room, newRoom } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const { id } = expectOk(await start(bot, room))
    const elsewhere = { ...room, id: (await newRoom('text')).id }
    const yours = { reason: 'not_your_message' } as const
    expectRefusal(await append(other, room, id, 5, '!'), 'forbidden', yours)
    expectRefusal(await append(bot, elsewhere, id, 5, '!'), 'forbidden', yours)
    expectRefusal(await append(bot, room, newId(), 5, '!'), 'forbidden', yours)
    expectRefusal(await finish(other, room, id), 'forbidden', yours)
    expectRefusal(await finish(bot, elsewhere, id), 'forbidden', yours)
    const body = { channelId: room.channelId, text: 'Whole' }
    const whole = expectOk(await bot.post<Message>(`/rooms/${room.id}/messages`, body))
    expectRefusal(await append(bot, room, whole.id, 5, '!'), 'unprocessable', { reason: 'stream_ended' })
    expectRefusal(await finish(bot, room, whole.id), 'unprocessable', { reason: 'stream_ended' })
  })
})

describe('a message that is no longer written', () => {
  test('is interrupted with its text so far, after a silence', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 2 })
    const stream = await Stream.of(server, bots[1])
    const { id } = expectOk(await start(bots[0], room))
    expectOk(await append(bots[0], room, id, 5, ' is'))
    await fallSilent(id)
    await ended(owner, room, id)
    expect(await shown(owner, room, id)).toMatchObject({ text: 'Build is' })
    expect(await stream.first(2)).toMatchObject([
      { event: 'message.created' },
      { event: 'message.updated', data: { message: { text: 'Build is', streaming: 'interrupted' } } },
    ])
    expectRefusal(await append(bots[0], room, id, 8, ' green'), 'unprocessable', { reason: 'stream_ended' })
    expect(expectOk(await finish(bots[0], room, id, { interrupted: true }))).toMatchObject({ streaming: 'interrupted' })
  })

  test('is interrupted by the bot itself', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const { id } = expectOk(await start(bots[0], room))
    const end = { id, text: 'Build', streaming: 'interrupted' }
    expect(expectOk(await finish(bots[0], room, id, { interrupted: true }))).toEqual(end)
    expect(await shown(owner, room, id)).toMatchObject(end)
  })

  test.each([
    ['is muted', ({ owner, at }: Channel, bot: Bot) => owner.put(`${at}/members/${bot.id}/chat-mute`, {})],
    ['is uninstalled', ({ owner, at }: Channel, bot: Bot) => owner.delete(`${at}/applications/${bot.application.id}`)],
    ['loses the right', async ({ allow, owner, at }: Channel, bot: Bot) => (await allow(bot), owner.get(at))],
    [
      'doesn’t see the room anymore',
      ({ owner, at, room }: Channel) => owner.patch(`${at}/rooms/${room.id}`, { private: true }),
    ],
  ])('is interrupted if its bot %s', async (_name, change) => {
    const made = await channelFixture({ bots: 1 })
    const { owner, bots, room } = made
    const { id } = expectOk(await start(bots[0], room))
    expectOk(await append(bots[0], room, id, 5, ' is'))
    expectOk(await change(made, bots[0]))
    expect((await append(bots[0], room, id, 8, ' green')).status).toBeGreaterThanOrEqual(403)
    await ended(owner, room, id)
    expect(await shown(owner, room, id)).toMatchObject({ text: 'Build is' })
  })

  test('leaves nothing when it is deleted, by its bot or a moderator', async () => {
    const { owner, bots, room, at } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const open = await OpenPortal.of(server, owner)
    const { channelId } = room
    for (const deleted of [
      (id: string) => bot.delete(`/rooms/${room.id}/messages/${id}`, { channelId }),
      (id: string) => owner.delete(`/rooms/${room.id}/messages/${id}`, { channelId }),
    ]) {
      const { id } = expectOk(await start(bot, room, 'zirconium'))
      expectOk(await append(bot, room, id, 9, ' beryllium'))
      expectOk(await deleted(id))
      expect((await open.next(messageDeleted)).data.message.id).toBe(id)
      expectRefusal(await append(bot, room, id, 19, '!'), 'forbidden', { reason: 'not_your_message' })
      expectRefusal(await finish(bot, room, id), 'forbidden', { reason: 'not_your_message' })
      for (const word of ['zirconium', 'beryllium']) {
        for (const table of ['messages', 'message_streams', 'events']) {
          const found = `SELECT FROM ${table} t WHERE t::text LIKE '%' || $1 || '%'`
          expect((await pool.query(found, [word])).rowCount, `${word} in ${table}`).toBe(0)
        }
      }
    }
    expect(await history(other, room)).toEqual([])
    const entries = await auditLog({ owner, at })
    expect(entries.filter(({ action }) => action === 'message.deleted')).toHaveLength(1)
  })

  test('goes with its room', async () => {
    const { owner, bots, room, at } = await channelFixture({ bots: 1 })
    const { id } = expectOk(await start(bots[0], room))
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    expectRefusal(await append(bots[0], room, id, 5, '!'), 'unprocessable', { reason: 'no_such_room' })
    const left = () => pool.query('SELECT FROM message_streams WHERE message_id = $1', [id])
    await eventually(async () => (await left()).rowCount).toBe(0)
    const { rows } = await pool.query(`SELECT event FROM events WHERE room_id = $1 AND event = 'message.updated'`, [
      room.id,
    ])
    expect(rows).toEqual([])
  })
})

type Channel = Awaited<ReturnType<typeof channelFixture<0, 1>>>
