import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import type { Bot } from '../bot.ts'
import { queryDatabaseOf } from '../query-database.ts'
import type { Answer } from '../person.ts'
import { expectOk, portal, channelFixture } from '../channel-fixture.ts'

/** Concurrent requests over HTTP. Re-issued keys and the last place in a voice room are tested with their features. */
describe('concurrent requests', () => {
  const inRoom = async (wish: { quotas?: 'usual' } = {}) => {
    const made = await channelFixture({ bots: 1, ...wish })
    const [bot] = made.bots
    const at = `/rooms/${made.room.id}/messages`
    const channelId = made.channel.id
    const send = (body: object = {}, headers = {}) =>
      bot.post<Message>(at, { channelId, text: 'Hello', ...body }, headers)
    const stored = async () => {
      const rows = await queryDatabaseOf(made.server, `SELECT id FROM messages WHERE channel_id = '${channelId}'`)
      return rows.map(({ id }) => id)
    }
    return { ...made, bot, at, channelId, send, stored }
  }

  test('200 sends with the same Idempotency-Key create one message and one event', async () => {
    const { send, stored, publishedEvents } = await inRoom()
    const headers = { 'idempotency-key': newId() }
    const answers = await times(200, () => send({}, headers))
    const [first] = answers
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([201, first?.body])
    expect(await stored()).toEqual([first?.body.id])
    expect((await publishedEvents()).map(({ event }) => event)).toEqual(['message.created'])
  })

  test('of sends with one Idempotency-Key and different bodies, one body is sent', async () => {
    const { send, stored } = await inRoom()
    const headers = { 'idempotency-key': newId() }
    const answers = await times(30, (n) => send({ text: `Text ${n % 3}` }, headers))
    const accepted = answers.filter(({ status }) => status === 201)
    expect(accepted).toHaveLength(10)
    expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(20)
    expect(await stored()).toHaveLength(1)
  })

  test('of 100 sends of one application exactly 20 are accepted, and nothing of the others is left', async () => {
    const { bot, send, stored, publishedEvents } = await inRoom()
    await limit(bot, { requests: 1000, writes: null })
    const answers = await times(100, () => send())
    expectOnly(answers, { 201: 20, 429: 80 })
    const accepted = answers.filter(({ status }) => status === 201).map(({ body }) => body.id)
    expect((await stored()).toSorted()).toEqual(accepted.toSorted())
    expect(await publishedEvents()).toHaveLength(20)
    expect(Math.min(...answers.map(remaining))).toBe(0)
  })

  test('of 200 requests of one application exactly 60 are accepted', async () => {
    const { bot } = await inRoom({ quotas: 'usual' })
    expectOnly(await times(200, () => bot.get('/me')), { 200: 60, 429: 140 })
  })

  test('a refused send costs no write quota: of many that fail, none is missed afterwards', async () => {
    const { bot, send, channelId, at, stored } = await inRoom()
    await limit(bot, { requests: 1000, writes: null })
    const failing = await Promise.all([
      times(10, () => send({ replyToId: newId() })),
      times(10, () => send({ text: '' })),
      times(10, () => send({ channelId: newId() })),
      times(10, () => bot.delete(`${at}/${newId()}`, { channelId })),
      times(10, () => bot.put('/commands', { commands: [{ name: 'no slash', description: 'x' }] })),
    ])
    for (const answer of failing.flat()) expect([400, 403, 422]).toContain(answer.status)
    expectOnly(await times(25, () => send()), { 201: 20, 429: 5 })
    expect(await stored()).toHaveLength(20)
  })

  test('a 429 leaves nothing half done: the Idempotency-Key of a refused send is free', async () => {
    const { bot, send, publishedEvents } = await inRoom()
    await limit(bot, { requests: 1000, writes: 1 })
    const headers = { 'idempotency-key': newId() }
    expect((await send()).status).toBe(201)
    expect((await send({ text: 'Later' }, headers)).status).toBe(429)
    await limit(bot, { requests: 1000, writes: 2 })
    expect((await send({ text: 'Now' }, headers)).status).toBe(201)
    expect(await publishedEvents()).toHaveLength(2)
  })

  test('concurrent deletions of a message delete it once, and cost one write', async () => {
    const { bot, send, channelId, at, publishedEvents } = await inRoom()
    const { id } = expectOk(await send())
    await limit(bot, { requests: 1000, writes: null })
    expectOnly(await times(10, () => bot.delete(`${at}/${id}`, { channelId })), { 204: 1, 403: 9 })
    expect((await publishedEvents()).map(({ event }) => event)).toEqual(['message.created', 'message.deleted'])
    expect(remaining(await send())).toBe(20 - 3)
  })

  test('concurrent replacements of the command list leave one complete list', async () => {
    const { bot } = await inRoom()
    const list = (n: number) => Array.from({ length: 5 }, (_, m) => ({ name: `/c${n}-${m}`, description: `${n}` }))
    const answers = await times(20, (n) =>
      bot.put<{ commands: { description: string }[] }>('/commands', { commands: list(n) }),
    )
    expectOnly(answers, { 200: 20 })
    const stored = expectOk(await bot.get('/commands'))
    expect(answers.map(({ body }) => body)).toContainEqual(stored)
  })

  test('a room that is deleted, and a bot that is removed, while messages are sent: never a 500', async () => {
    const { owner, send, bot, at, ...made } = await inRoom()
    const room = await made.newRoom('text')
    const sending = times(60, (n) =>
      n % 2 ? send() : bot.post(`/rooms/${room.id}/messages`, { channelId: made.channelId, text: 'x' }),
    )
    const path = `/channels/${made.channelId}`
    const removing = [
      owner.delete(`${path}/rooms/${room.id}`),
      owner.delete(`${path}/applications/${bot.application.id}`),
    ]
    for (const { status } of await Promise.all(removing)) expect(status).toBe(204)
    for (const { status, body } of await sending) expect([201, 403, 422, 504], JSON.stringify(body)).toContain(status)
    expect((await bot.get(`${at}?channelId=${made.channelId}`)).status).toBe(403)
  })

  test('an application that is deleted while it works: 401 from then on, never a 500', async () => {
    const { owner, bot, send } = await inRoom()
    const working = times(60, (n) =>
      [
        () => send(),
        () => bot.get('/me'),
        () => bot.put('/commands', { commands: [{ name: '/a', description: 'A' }] }),
      ][n % 3]!(),
    )
    const gone = await owner.delete(`/applications/${bot.application.id}`, { name: bot.application.name })
    expect(gone.status).toBe(204)
    for (const { status, body } of await working)
      expect([200, 201, 401, 403, 504], JSON.stringify(body)).toContain(status)
    expect((await bot.get('/me')).status).toBe(401)
  })
})

/** So many at once that they meet, and so few that a busy machine answers each before its deadline. */
const AT_ONCE = 25

/** Makes this many attempts, `AT_ONCE` of them at a time, and returns the results in order. */
async function times<T>(count: number, attempt: (n: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < count) {
      const n = next++
      results[n] = await attempt(n)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return results
}

function expectOnly(answers: readonly Answer[], expected: Record<number, number>): void {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  expect(counts).toEqual(expected)
}

function remaining({ headers }: Answer): number {
  return Number(headers.get('x-ratelimit-remaining'))
}

async function limit(bot: Bot, limits: { requests: number | null; writes: number | null }): Promise<void> {
  const { administrator } = await portal()
  expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, limits))
}
