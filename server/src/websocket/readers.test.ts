import { randomInt } from 'node:crypto'
import type { Right } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { ALL_SCOPES } from '../../test/bot.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

const READ: Right = 'read_text_room'

/** A channel with an open room and one that bots may not read. */
async function rooms() {
  const made = await channelFixture({ bots: 1 })
  const { owner, at, room, newRoom, role } = made
  const closed = await newRoom('text')
  const { id: bots } = await role('CHANNEL_BOT')
  const say = async (roomId: string, text: string) =>
    expectOk(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: room.channelId, text }))
  return {
    ...made,
    bot: made.bots[0],
    closed,
    say: (text: string) => say(room.id, text),
    sayClosed: (text: string) => say(closed.id, text),
    react: async (messageId: string) =>
      expectOk(
        await owner.post(`/rooms/${closed.id}/messages/${messageId}/reactions`, {
          channelId: room.channelId,
          emoji: '👍',
        }),
      ),
    deny: async () =>
      expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${bots}`, { allow: [], deny: [READ] })),
    allow: async () => expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${bots}`, { allow: [], deny: [] })),
  }
}

const textsOf = (stream: Stream): unknown[] =>
  stream.received.map(
    ({ envelope }) => (envelope.data['message'] as { text?: string } | undefined)?.text ?? envelope.event,
  )

describe('the event stream of a bot', () => {
  test('contains messages and reactions of a room only while the role has the right to read it', async () => {
    const { server, bot, room, closed, say, sayClosed, react, deny, allow } = await rooms()
    const stream = await Stream.of(server, bot)
    await sayClosed('read')
    await deny()
    expect((await bot.get(`/rooms/${closed.id}/messages?channelId=${room.channelId}`)).status).toBe(403)
    const { id } = await sayClosed('not for bots')
    await react(id)
    await say('open')
    await allow()
    await sayClosed('read again')
    await stream.first(3)
    expect(textsOf(stream)).toEqual(['read', 'open', 'read again'])
  })

  test('follows the rights of a role as it follows those of a room', async () => {
    const { server, owner, at, bot, say, role } = await rooms()
    const { id: bots, rights } = await role('CHANNEL_BOT')
    const stream = await Stream.of(server, bot)
    expectOk(await owner.patch(`${at}/roles/${bots}`, { rights: rights.filter((right) => right !== READ) }))
    await say('not for bots')
    expectOk(await owner.patch(`${at}/roles/${bots}`, { rights }))
    await say('for bots')
    await stream.first(1)
    expect(textsOf(stream)).toEqual(['for bots'])
  })

  test('recovers what the bot could read then and can still read', async () => {
    const { server, bot, say, sayClosed, deny, allow, newRoom, owner, room, at, role } = await rooms()
    const later = await newRoom('text')
    const stream = await Stream.of(server, bot)
    await say('connected')
    await stream.first(1)
    stream.client.disconnect()
    await deny()
    await sayClosed('denied then')
    await allow()
    expectOk(await owner.post(`/rooms/${later.id}/messages`, { channelId: room.channelId, text: 'denied now' }))
    const { id: bots } = await role('CHANNEL_BOT')
    expectOk(await owner.put(`${at}/rooms/${later.id}/overrides/${bots}`, { allow: [], deny: [READ] }))
    await sayClosed('allowed')
    stream.client.connect()
    await stream.first(2)
    await say('live')
    await stream.first(3)
    expect(textsOf(stream)).toEqual(['connected', 'allowed', 'live'])
    expect(stream.subscriptions.at(-1)).toMatchObject({ wasRecovering: true, recovered: true })
  })

  test('recovers no messages of a channel that the bot was removed from, or of a room that was deleted', async () => {
    const { server, bot, say, sayClosed, owner, at, closed } = await rooms()
    const elsewhere = await channelFixture()
    await elsewhere.install(bot)
    const stream = await Stream.of(server, bot)
    await say('connected')
    await stream.first(1)
    stream.client.disconnect()
    await sayClosed('in a room that is deleted')
    expectOk(await owner.delete(`${at}/rooms/${closed.id}`))
    const { room, owner: other, at: there } = elsewhere
    expectOk(await other.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'before the removal' }))
    expectOk(await other.delete(`${there}/applications/${bot.application.id}`))
    await say('open')
    stream.client.connect()
    await stream.first(2)
    expect(textsOf(stream)).toEqual(['connected', 'open'])
  })
})

describe('the webhook of a bot', () => {
  test('receives messages of a room only while the role has the right to read it', async () => {
    const { owner, at, role, room, newRoom, say, receiver } = await webhookFixture()
    const closed = await newRoom('text')
    const { id: bots } = await role('CHANNEL_BOT')
    expectOk(await owner.put(`${at}/rooms/${closed.id}/overrides/${bots}`, { allow: [], deny: [READ] }))
    await say('not for bots', closed.id)
    await say('for bots', room.id)
    await receiver.until(() => receiver.received.length > 0)
    expect(receiver.texts).toEqual(['for bots'])
  })

  test('is sent what was held if the bot could read it then and can still read it', async () => {
    const { owner, at, role, newRoom, say, receiver, bot, webhook } = await webhookFixture()
    const [deniedThen, deniedNow] = [await newRoom('text'), await newRoom('text')]
    const { id: bots } = await role('CHANNEL_BOT')
    const override = async (roomId: string, deny: Right[]) =>
      expectOk(await owner.put(`${at}/rooms/${roomId}/overrides/${bots}`, { allow: [], deny }))
    await bot.reissue(ALL_SCOPES.filter((scope) => scope !== 'events'))
    await override(deniedThen.id, [READ])
    await say('denied then', deniedThen.id)
    await override(deniedThen.id, [])
    await say('denied now', deniedNow.id)
    await override(deniedNow.id, [READ])
    await say('allowed', deniedThen.id)
    expect(await webhook()).toMatchObject({ held: 1 })
    await bot.reissue()
    await receiver.until(() => receiver.received.length > 0)
    expect(receiver.texts).toEqual(['allowed'])
  })
})

describe('bot_can_read', () => {
  test('agrees with the history of the room for all roles, overrides and admissions', async () => {
    const { server, owner, at, bots, channel, role, newRole, newRoom, give } = await channelFixture({ bots: 2 })
    const { pool } = server.services.database
    const system = await role('CHANNEL_BOT')
    const roles = [system, await newRole('Low', []), await newRole('High', [])]
    const some = <T>(values: readonly T[]): T[] => values.filter(() => randomInt(2) === 0)
    for (let round = 0; round < 12; round += 1) {
      const isPrivate = randomInt(3) === 0
      const { id: roomId } = await newRoom('text', { private: isPrivate })
      for (const { id } of roles) {
        expectOk(await owner.patch(`${at}/roles/${id}`, { rights: some([READ]) }))
        const [allow, deny] = [[READ], [], []].toSorted(() => randomInt(3) - 1)
        expectOk(await owner.put(`${at}/rooms/${roomId}/overrides/${id}`, { allow, deny }))
      }
      for (const bot of bots) await give(bot, 'CHANNEL_BOT', ...some(roles.slice(1)))
      if (isPrivate) {
        const roleIds = some(roles).map(({ id }) => id)
        expectOk(
          await owner.put(`${at}/rooms/${roomId}/admissions`, { roleIds, memberIds: some(bots).map(({ id }) => id) }),
        )
      }
      for (const bot of bots) {
        const { status } = await bot.get(`/rooms/${roomId}/messages?channelId=${channel.id}`)
        const { rows } = await pool.query<{ reads: boolean }>('SELECT bot_can_read($1, $2, $3) AS reads', [
          bot.id,
          channel.id,
          roomId,
        ])
        expect([status, rows[0]?.reads]).toEqual([status, status === 200])
      }
    }
  })
})
