import type { Message, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import { expectShape } from '../expect-shape.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { startServer } from '../start-server.ts'
import { expectOk, channelFixture } from '../channel-fixture.ts'

type History = Output<typeof api.listMessages>

/** docs/api-rules.md, “Idempotency”. */
describe('Idempotency-Key', () => {
  const fixture = botApiFixture()
  const key = () => ({ 'idempotency-key': newId() })

  test('the same key returns the first response again: 201, same id, one message', async () => {
    const { bot, channel, newRoom } = await fixture
    const at = `/rooms/${(await newRoom('text')).id}/messages`
    const headers = key()
    const body = { channelId: channel.id, text: 'Once' }
    const first = await bot.post<Message>(at, body, headers)
    expectShape('sendMessage', first)
    const again = await bot.post<Message>(at, { ...body, channelId: channel.id.toUpperCase() }, headers)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(expectOk(await bot.get<History>(`${at}?channelId=${channel.id}`)).messages).toEqual([first.body])
  })

  test('with another body, or for another room, it is 422', async () => {
    const { bot, channel, room, newRoom, messageOf } = await fixture
    const at = `/rooms/${room.id}/messages`
    const headers = key()
    const body = { channelId: channel.id, text: 'Once' }
    expectOk(await bot.post(at, body, headers))
    const reused = { status: 422, body: { reason: 'idempotency_key_reused' } }
    expect(await bot.post(at, { ...body, text: 'Twice' }, headers)).toMatchObject(reused)
    expect(await bot.post(at, { ...body, replyToId: await messageOf(bot) }, headers)).toMatchObject(reused)
    const elsewhere = `/rooms/${(await newRoom('text')).id}/messages`
    expect(await bot.post(elsewhere, body, headers)).toMatchObject(reused)
  })

  test('with Idempotency-Compare: key, a different request gets the first response, too', async () => {
    const { bot, channel, room, newRoom } = await fixture
    const at = `/rooms/${room.id}/messages`
    const compare = { ...key(), 'idempotency-compare': 'key' }
    const body = { channelId: channel.id, text: 'It is 9:30' }
    const first = expectOk(await bot.post<Message>(at, body, compare))
    const again = await bot.post<Message>(at, { ...body, text: 'It is 9:31' }, compare)
    expect([again.status, again.body]).toEqual([201, first])
    const elsewhere = `/rooms/${(await newRoom('text')).id}/messages`
    expect((await bot.post<Message>(elsewhere, body, compare)).body).toEqual(first)
    const compareAll = { ...compare, 'idempotency-compare': 'request' }
    expect((await bot.post(at, { ...body, text: 'It is 9:31' }, compareAll)).status).toBe(422)
    const wrong = { ...compare, 'idempotency-compare': 'text' }
    expect(await bot.post(at, body, wrong)).toMatchObject({ status: 400, body: { field: 'Idempotency-Compare' } })
  })

  test('another application may use the same key', async () => {
    const { bot, channel, room, newBot } = await fixture
    const other = await newBot()
    const headers = key()
    const send = (by: typeof bot) =>
      by.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Mine' }, headers)
    expect(expectOk(await send(bot)).id).not.toBe(expectOk(await send(other)).id)
  })

  test('it is forgotten after 24 hours', async () => {
    const { server, bot, channel, room } = await fixture
    const headers = key()
    const send = () =>
      bot.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Daily' }, headers)
    const first = expectOk(await send())
    const age = (interval: string) =>
      server.services.database.pool.query(
        'UPDATE idempotency_keys SET created_at = now() - $1::interval WHERE account_id = $2 AND key = $3',
        [interval, bot.id, headers['idempotency-key']],
      )
    await age('23 hours 59 minutes')
    expect(expectOk(await send()).id).toBe(first.id)
    await age('24 hours 1 second')
    const second = expectOk(await send())
    expect(second.id).not.toBe(first.id)
    expect(expectOk(await send()).id).toBe(second.id)
  })

  test('a repeat costs no write quota, and a send that was refused leaves the key free', async () => {
    const { bots, channel, room } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const headers = key()
    const send = (text: string, more: object = {}) =>
      bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text, ...more }, headers)
    expect((await send('Reply', { replyToId: newId() })).status).toBe(422)
    const first = await send('Once')
    expect([first.status, first.headers.get('x-ratelimit-remaining')]).toEqual([201, '19'])
    const again = await send('Once')
    expect([again.status, again.headers.get('x-ratelimit-remaining')]).toEqual([201, '19'])
  })

  test.each(['', 'x'.repeat(65), 'two words', 'tab\there', 'é'])(
    'is 1–64 visible ASCII characters, not %j',
    async (bad) => {
      const { bot, channel, room } = await fixture
      const headers = { 'idempotency-key': bad }
      const answer = await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hi' }, headers)
      expect(answer).toMatchObject({ status: 400, body: { field: 'Idempotency-Key' } })
    },
  )

  test.each(['!', '~'.repeat(64)])('is 1–64 visible ASCII characters, such as %j', async (good) => {
    const { channel, room, newBot } = await fixture
    const headers = { 'idempotency-key': good }
    const bot = await newBot()
    const answer = await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hi' }, headers)
    expect(answer.status).toBe(201)
  })

  test('people can use it too, and have no quotas', async () => {
    const {
      people: [ada],
      room,
      channel,
    } = await channelFixture({ people: 1 })
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const headers = key()
    const once = () => ada.request<Message>('POST', messages, { channelId, text: 'Once' }, headers)
    const answers = await Promise.all(Array.from({ length: 10 }, once))
    expect(new Set(answers.map((answer) => expectOk(answer).id)).size).toBe(1)
    expect(expectOk(await ada.get<History>(`${messages}?channelId=${channelId}`)).messages).toHaveLength(1)
    const many = await Promise.all(
      Array.from({ length: 70 }, (_, n) => ada.post(messages, { channelId, text: `${n}` })),
    )
    expect(many.filter(({ status }) => status !== 201)).toEqual([])
  })

  // Stops the server of this file, so it must be the last test.
  test('it survives a restart', async () => {
    const { server, bot, channel, room } = await fixture
    const headers = key()
    const body = { channelId: channel.id, text: 'Once' }
    const at = `/rooms/${room.id}/messages`
    const first = expectOk(await bot.post<Message>(at, body, headers))
    await server.close()
    const { DATABASE_URL, PORTICO_DATA } = server.services.config
    const next = await startServer({ DATABASE_URL: String(DATABASE_URL), PORTICO_DATA })
    const again = await fetch(`${next.url}/api/v1${at}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bot ${bot.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([again.status, await again.json()]).toEqual([201, first])
  })
})
