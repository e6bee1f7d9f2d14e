import { ERRORS, type Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { auditLog } from '../audit-log.ts'
import { channelFixture, expectOk, portal } from '../channel-fixture.ts'
import { testDatabase } from '../database.ts'
import { startDatabaseRelay } from '../database-relay.ts'
import { eventually } from '../eventually.ts'
import { atFileEnd, oncePerFile } from '../file-end.ts'

/** docs/api-rules.md, “Deadlines”: 504 when the database does not respond, and nothing is committed later. */
const cuttable = oncePerFile(async () => {
  const relay = await startDatabaseRelay(atFileEnd)
  const { server } = await portal({ DATABASE_URL: relay.through((await testDatabase()).url) })
  return { relay, server }
})

describe('while the network to PostgreSQL is cut', () => {
  test('reads and writes are answered 504, and the portal works again when it is back', async () => {
    const { relay, server } = await cuttable()
    const { owner, bots, room, channel } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const channelId = channel.id
    const messages = `/rooms/${room.id}/messages`
    const before = expectOk(await bot.post<Message>(messages, { channelId, text: 'Before' }))

    relay.silence()
    const answers = await Promise.all([
      bot.post(messages, { channelId, text: 'Too late' }),
      bot.get(`${messages}?channelId=${channelId}`),
      owner.post(messages, { channelId, text: 'Too late, too' }),
      owner.get('/channels'),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => ERRORS.timeout.status))
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503)

    relay.restore()
    await eventually(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
    await eventually(async () => (await bot.get('/me')).status).toBe(200)
    const after = expectOk(await bot.post<Message>(messages, { channelId, text: 'After' }))
    const history = expectOk(await bot.get<{ messages: Message[] }>(`${messages}?channelId=${channelId}`))
    expect(history.messages.map(({ id, text }) => [id, text])).toEqual([
      [after.id, 'After'],
      [before.id, 'Before'],
    ])
  })

  test('a message that is committed although its acknowledgement gets lost is not refused', async () => {
    const { relay } = await cuttable()
    const { bots, room, channel } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const messages = `/rooms/${room.id}/messages`
    const body = { channelId: channel.id, text: 'Committed, and nobody knows' }
    const send = () => bot.post<Message>(messages, body, { 'idempotency-key': 'one-message' })
    await bot.get('/me')

    relay.loseAnswerTo(body.text)
    await expect(send()).rejects.toThrow('fetch failed')

    relay.loseAnswerTo('nothing anymore')
    const { id } = expectOk(await send())
    const history = expectOk(await bot.get<{ messages: Message[] }>(`${messages}?channelId=${channel.id}`))
    expect(history.messages.map((message) => [message.id, message.text])).toEqual([[id, body.text]])
  })

  test('a change of several statements that is committed although its acknowledgement gets lost is not refused', async () => {
    const { relay } = await cuttable()
    const { owner, bots, at } = await channelFixture({ bots: 1 })
    const reason = 'unacknowledged'

    relay.loseAnswerTo(reason)
    await expect(owner.delete(`${at}/members/${bots[0].id}`, { reason })).rejects.toThrow('fetch failed')

    relay.loseAnswerTo('nothing anymore')
    const entries = async () => (await auditLog({ owner, at })).filter((entry) => entry.reason === reason)
    await eventually(entries).toHaveLength(1)
  })
})
