import type { Message, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import type { Person } from '../../test/person.ts'

type History = Output<typeof api.listMessages>

/** docs/api-rules.md, “Text and names”. */
describe('sendMessage', () => {
  const fixture = botApiFixture()

  const send = async (text: unknown) => {
    const { bot, channel, room } = await fixture
    return bot.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text })
  }
  const refusedAs = (rule: string) => ({ status: 400, body: { field: 'text', message: `text: ${rule}` } })
  const refused = refusedAs('must be 1–4000 characters')

  test('counts code points: accepts 4,000 emoji and rejects 4,001', async () => {
    expect(expectOk(await send('😀'.repeat(4000))).text).toBe('😀'.repeat(4000))
    expect(await send('😀'.repeat(4001))).toMatchObject(refused)
    expect(expectOk(await send('x'.repeat(4000))).text).toHaveLength(4000)
    expect(await send('x'.repeat(4001))).toMatchObject(refused)
  })

  test.each([' ', '\n\t\r ', '\u00a0\u2003\u3000', '\ufeff', '\u2028'])(
    'rejects a text that is blank after trimming: %j',
    async (text) => {
      expect(await send(text)).toMatchObject(refusedAs('must not be blank'))
    },
  )

  test('rejects a text with U+0000 or half a surrogate pair', async () => {
    for (const text of ['a\u0000b', '\u0000', 'a\ud800', '\udc00b', '😀'.slice(0, 1)]) {
      expect(await send(text)).toMatchObject(refusedAs('must be well-formed Unicode without U+0000'))
    }
  })

  test('rejects bytes that are not UTF-8 instead of replacing them', async () => {
    const { bot, channel, room } = await fixture
    const [head = '', tail = ''] = JSON.stringify({ channelId: channel.id, text: 'caf|' }).split('|')
    for (const bytes of [[0xe9], [0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
      const body = Uint8Array.from([...Buffer.from(head), ...bytes, ...Buffer.from(tail)])
      expect(await bot.request('POST', `/rooms/${room.id}/messages`, body)).toMatchObject({
        status: 400,
        body: { field: 'body', message: 'body: must be valid JSON in UTF-8' },
      })
    }
  })

  test('rejects a text that is empty, missing or not a string', async () => {
    for (const text of ['', 1, true, null, ['a'], { a: 1 }]) expect(await send(text)).toMatchObject(refused)
    expect(await send(undefined)).toMatchObject({ status: 400, body: { message: 'text: is required' } })
  })

  test('returns the text exactly as it was sent', async () => {
    const { bot, channel, newRoom } = await fixture
    const at = `/rooms/${(await newRoom('text')).id}/messages`
    const texts = [
      '  kept  ',
      'a\nb\tc',
      'e\u0301',
      '\u202eright to left',
      '**bold** _it_ `x` [l](http://l)',
      '"\\/<>&\u2028',
    ]
    for (const text of texts) expectOk(await bot.post(at, { channelId: channel.id, text }))
    const { messages } = expectOk(await bot.get<History>(`${at}?channelId=${channel.id}`))
    expect(messages.map(({ text }) => text).toReversed()).toEqual(texts)
  })

  test('answers with editedAt, replyToId and pinnedAt only when they are set', async () => {
    const { bots, channel, room, give } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await give(bot, 'CHANNEL_MODERATOR')
    const at = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const newest = async () =>
      expectOk(await bot.get<{ messages: Message[] }>(`${at}?channelId=${channelId}&limit=1`)).messages[0]
    const plain = expectOk(await bot.post<Message>(at, { channelId, text: 'Plain' }))
    expect(await newest()).toEqual(plain)
    const reply = expectOk(await bot.post<Message>(at, { channelId, text: 'Reply', replyToId: plain.id.toUpperCase() }))
    expect(reply).toEqual({ ...plain, id: reply.id, text: 'Reply', createdAt: reply.createdAt, replyToId: plain.id })
    expect(await newest()).toEqual(reply)
    const { editedAt } = expectOk(
      await bot.patch<{ editedAt: string }>(`${at}/${reply.id}`, { channelId, text: 'Better' }),
    )
    const { pinnedAt } = expectOk(await bot.post<{ pinnedAt: string }>(`${at}/${reply.id}/pin`, { channelId }))
    expect(await newest()).toEqual({ ...reply, text: 'Better', editedAt, pinnedAt })
    expectOk(await bot.delete(`${at}/${plain.id}`, { channelId }))
    expect(await newest()).toMatchObject({ replyToId: plain.id })
  })

  test('rejects a reply to a message that is deleted or in another room', async () => {
    const { bots, channel, room, newRoom } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const channelId = channel.id
    const other = await newRoom('text')
    const elsewhere = expectOk(await bot.post<Message>(`/rooms/${other.id}/messages`, { channelId, text: 'Elsewhere' }))
    const at = `/rooms/${room.id}/messages`
    const gone = expectOk(await bot.post<Message>(at, { channelId, text: 'Gone' }))
    expectOk(await bot.delete(`${at}/${gone.id}`, { channelId }))
    for (const replyToId of [elsewhere.id, gone.id]) {
      const answer = await bot.post(at, { channelId, text: 'Reply', replyToId })
      expect(answer).toMatchObject({ status: 422, body: { reason: 'no_such_message' } })
    }
    expect(await bot.post(at, { channelId, text: 'Reply', replyToId: null })).toMatchObject({ status: 400 })
  })

  test('applies the same rules to the text, emoji and ids of people', async () => {
    const {
      people: [ada],
      room,
      channel,
    } = await channelFixture({ people: 1 })
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const send = (text: string, more: object = {}) => ada.post<Message>(messages, { channelId, text, ...more })
    for (const text of ['', ' ', 'a\u0000', 'x'.repeat(4001), '\ud800']) expect((await send(text)).status).toBe(400)
    expect((await send('😀'.repeat(4000))).status).toBe(201)
    expect((await send('Reply', { replyToId: newId() })).status).toBe(422)
    const { id } = expectOk(await send('Hello'))
    expect((await ada.post(`${messages}/${id}/reactions`, { channelId, emoji: 'x' })).status).toBe(400)
    expect((await ada.get(`${messages}?channelId=${channelId}&beforeId=${newId()}`)).status).toBe(422)
  })

  test('is refused in private rooms that don’t admit the person, and where writing is restricted', async () => {
    const {
      people: [ada],
      owner,
      at,
      channel,
      newRoom,
      room,
    } = await channelFixture({ people: 1 })
    const channelId = channel.id
    const send = (who: Person) => who.post(`/rooms/${room.id}/messages`, { channelId, text: 'Hello' })
    const hidden = await newRoom('text', { private: true })
    expect((await ada.post(`/rooms/${hidden.id}/messages`, { channelId, text: 'Psst' })).status).toBe(422)
    const listed = async (who: Person) =>
      expectOk(await who.get<{ rooms: Room[] }>(`${at}/rooms`)).rooms.map(({ id }) => id)
    expect(await listed(ada)).not.toContain(hidden.id)
    expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    expect((await ada.post(`/rooms/${hidden.id}/messages`, { channelId, text: 'Psst' })).status).toBe(201)
    expect(await listed(ada)).toContain(hidden.id)

    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { writeRestricted: true }))
    expect(await send(ada)).toMatchObject({ status: 403, body: { requiredRight: 'write_text_room' } })
    expect((await send(owner)).status).toBe(201)
  })
})
