import { REFUSALS, type ErrorDetails, type Operation } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { operationOf } from '../../test/expect-shape.ts'
import type { Answer } from '../../test/person.ts'
import { expectOk } from '../../test/expect-ok.ts'
import { signInFixture } from '../../test/sign-in-fixture.ts'
import { send, botApiFixture, type Values } from '../../test/bot-api-fixture.ts'
import { Refusal } from '../operations/refusal.ts'
import { botOperations, userOperations } from './bot-operations.ts'
import type { ErrorExample } from './openapi/answers.ts'
import { botErrors } from './openapi/bot-errors.ts'

type Stage = Awaited<ReturnType<typeof botApiFixture>>
type Provocation = (set: Stage, name: string, operation: Operation) => Promise<Answer>

/** How to provoke each documented refusal. Those of every route are tested on one route below. */
const PROVOCATIONS: Readonly<Record<string, Provocation>> = {
  missingScope: async ({ call, newBot }, name) => call(name, {}, await newBot({ scopes: [] })),
  missingRight: async ({ call, newBot, allow, room, channel }, name) => {
    const bot = await newBot()
    await allow(bot)
    if (name !== 'deleteMessage') return call(name, {}, bot)
    return bot.delete(`/rooms/${room.id}/messages/${newId()}`, { channelId: channel.id })
  },
  muted: async ({ call, newBot, give, owner, channel }, name) => {
    const bot = await newBot()
    await give(bot, 'CHANNEL_MODERATOR')
    expectOk(await owner.put(`/channels/${channel.id}/members/${bot.id}/chat-mute`))
    return call(name, {}, bot)
  },
  malformed: async ({ bot, prepare }, _name, operation) => {
    const values = await prepare(operation)
    const { details } = malformedOf(operation)
    if (details.field === 'content-type') return bot.request('DELETE', '/key', 'text', { 'content-type': 'text/plain' })
    return send(bot, needing(operation, details.field), { ...values, [details.field ?? '']: wrong(details) })
  },
  notInstalled: ({ call }, name) => call(name, { channelId: newId() }),
  noSuchRoom: ({ call }, name) => call(name, { roomId: newId() }),
  wrongRoomType: ({ call, rooms }, name, { access }) =>
    call(name, { roomId: access?.room?.includes('text') ? rooms.voice : rooms.text }),
  targetNotVoice: ({ call, rooms }, name) => call(name, { roomId: rooms.text }),
  noSuchMessage: async ({ bot, prepare }, name, operation) => {
    const values = { ...(await prepare(operation)), messageId: newId(), replyToId: newId() }
    return send(
      bot,
      ['sendMessage', 'startMessage'].includes(name) ? needing(operation, 'replyToId') : operation,
      values,
    )
  },
  noMessageHere: ({ call }, name) => call(name, { messageId: newId() }),
  noSuchCursor: async ({ bot, prepare }, _name, operation) =>
    send(bot, needing(operation, 'beforeId'), { ...(await prepare(operation)), beforeId: newId() }),
  notYourMessage: async ({ call, messageOf, victim }, name) => call(name, { messageId: await messageOf(victim) }),
  stillWriting: async ({ call, streamOf }, name) => call(name, { messageId: await streamOf() }),
  tooManyStreams: async ({ bot, prepare, streamOf }, _name, operation) => {
    const values = await prepare(operation)
    for (let count = 0; count < 3; count += 1) await streamOf()
    return send(bot, operation, values)
  },
  streamEnded: async ({ call, messageOf, bot }, name) => call(name, { messageId: await messageOf(bot) }),
  wrongPosition: async ({ bot, prepare }, _name, operation) =>
    send(bot, needing(operation, 'position'), { ...(await prepare(operation)), position: 4000 }),
  messageTooLong: async ({ call, streamOf }, name) =>
    call(name, { messageId: await streamOf(), text: 'a'.repeat(4000) }),
  tooOldToEdit: async ({ call, messageOf, bot, server }, name) => {
    const messageId = await messageOf(bot)
    const created_at = new Date(Date.now() - 31 * 60_000).toISOString()
    await server.services.database.kysely
      .updateTable('messages')
      .set({ created_at })
      .where('id', '=', messageId)
      .execute()
    return call(name, { messageId })
  },
  tooManyReactions: async ({ call, messageOf, victim, server }, name) => {
    const messageId = await messageOf(victim)
    const values = [...'😀😃😄😁😆😅🤣😂🙂🙃😉😊😇🥰😍🤩😘😗😚😙'].map((emoji) => ({
      message_id: messageId,
      emoji,
      account_id: victim.id,
    }))
    await server.services.database.kysely.insertInto('reactions').values(values).execute()
    return call(name, { messageId })
  },
  tooManyPins: async ({ call, messageOf, victim, newRoom, channel, server }, name) => {
    const { id: roomId } = await newRoom('text')
    const now = new Date().toISOString()
    const pinned = Array.from({ length: 250 }, () => ({
      id: newId(),
      channel_id: channel.id,
      room_id: roomId,
      author_id: victim.id,
      text: 'A line',
      created_at: now,
      pinned_at: now,
    }))
    await server.services.database.kysely.insertInto('messages').values(pinned).execute()
    return call(name, { roomId, messageId: await messageOf(victim, roomId) })
  },
  fileTooLarge: ({ bot, room }) =>
    bot.request('POST', `/rooms/${room.id}/files?name=large.bin`, new Uint8Array(25 * 1024 ** 2 + 1)),
  storageFull: async ({ call, server }, name) => {
    const usage = server.services.database.kysely.updateTable('upload_usage')
    await usage.set({ bytes: 20 * 1024 ** 3 }).execute()
    const answer = await call(name)
    await usage.set({ bytes: 0 }).execute()
    return answer
  },
  ownStorageFull: async ({ call, server, owner }, name) => {
    const shares = server.services.database.kysely.insertInto('upload_shares')
    const set = (bytes: number) =>
      shares
        .values({ owner_id: owner.id, bytes })
        .onConflict((conflict) => conflict.column('owner_id').doUpdateSet({ bytes }))
        .execute()
    await set(2 * 1024 ** 3)
    const answer = await call(name)
    await set(0)
    return answer
  },
  privateAddress: ({ bot }) => bot.put('/webhook', { url: 'https://10.0.0.1/' }),
  noWebhook: ({ bot }) => bot.get('/webhook'),
  optionRequestOver: ({ call }, name) => call(name, { requestId: 'A'.repeat(80) }),
  notAMember: ({ call }, name) => call(name, { userId: newId() }),
  outranked: async ({ call, messageOf, owner }, name) =>
    call(name, { userId: owner.id, messageId: await messageOf(owner) }),
  notInVoice: async ({ bot, prepare, victim, server }, _name, operation) => {
    const values: Values = await prepare(operation)
    await server.services.database.kysely.deleteFrom('voice_sessions').where('account_id', '=', victim.id).execute()
    return send(bot, operation, values)
  },
  memberNotAdmitted: async ({ call, newRoom, owner, channel, bot }, name) => {
    const { id: roomId } = await newRoom('voice', { private: true })
    const admissions = { roleIds: [], memberIds: [bot.id] }
    expectOk(await owner.put(`/channels/${channel.id}/rooms/${roomId}/admissions`, admissions))
    return call(name, { roomId })
  },
  memberCannotRead: ({ call, victim }, name) => call(name, { userId: victim.id }),
  roomFull: async ({ call, newRoom, enter, owner }, name) => {
    const { id: roomId } = await newRoom('voice', { userLimit: 1 })
    await enter(owner, roomId)
    return call(name, { roomId })
  },
  idempotencyKeyReused: async ({ bot, room, channel }, name) => {
    const headers = { 'idempotency-key': newId() }
    await bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'one' }, headers)
    const path = name === 'sendMessage' ? 'messages' : 'messages/streams'
    return bot.post(`/rooms/${room.id}/${path}`, { channelId: channel.id, text: 'another' }, headers)
  },
}

/** Quotas and server errors have their own tests; a 401 comes from one check before routing. */
const ELSEWHERE = new Set(['unauthorized', 'tooManyRequests', 'internalError', 'timeout'])

describe('the documented refusal', () => {
  test.each(botOperations)('is exactly what %s answers', async (name, operation) => {
    const set = await botApiFixture()
    for (const documented of botErrors(operation)) {
      if (ELSEWHERE.has(documented.code)) continue
      const provoke = PROVOCATIONS[documented.name]
      if (!provoke) throw new Error(`nobody knows how to provoke ${documented.name} on ${name}`)
      expect([documented.name, (await provoke(set, name, operation)).body]).toEqual([
        documented.name,
        bodyOf(documented),
      ])
    }
  })

  test('is exactly the answer to an invalid key', async () => {
    const { bot, server } = await botApiFixture()
    const { key } = bot
    const said = botErrors(operationOf('getProfile')).filter(({ code }) => code === 'unauthorized')
    const dead = `portico_bot_${'0'.repeat(40)}`
    const headers: Record<string, string> = {
      wrongScheme: `Bearer ${key}`,
      malformedKey: `Bot ${dead}000000`,
      deadKey: `Bot ${key}`,
    }
    await bot.delete('/key')
    for (const documented of said) {
      const authorization = headers[documented.name]
      const answer = await fetch(`${server.url}/api/v1/me`, { headers: authorization ? { authorization } : {} })
      expect(await answer.json()).toEqual(bodyOf(documented))
    }
  })

  test('is exactly the answer to an invalid user token, and to a missing scope', async () => {
    const { site, person, server, newBot } = await signInFixture()
    const { access_token } = await site.tokensFor(person, { scope: 'openid' })
    const headers: Record<string, string> = {
      wrongTokenScheme: `Bot ${(await newBot()).key}`,
      deadToken: `Bearer ${access_token}x`,
      missingScope: `Bearer ${access_token}`,
    }
    for (const [name, { at }] of userOperations) {
      const said = botErrors(operationOf(name)).filter(({ code }) => code === 'unauthorized' || code === 'forbidden')
      expect(said.map((one) => one.name)).toEqual(['missingToken', ...Object.keys(headers)])
      for (const documented of said) {
        const authorization = headers[documented.name]
        const url = `${server.url}/api/v1${at.replace('GET ', '')}`
        const answer = await fetch(url, { headers: authorization ? { authorization } : {} })
        expect(await answer.json()).toEqual(bodyOf(documented))
      }
    }
  })

  test('leaves out no reason', () => {
    const named = new Set(botOperations.flatMap(([, operation]) => botErrors(operation).map(({ name }) => name)))
    expect(Object.keys(REFUSALS).filter((name) => !named.has(name))).toEqual([])
  })
})

function malformedOf(operation: Operation): ErrorExample {
  const found = botErrors(operation).find(({ name }) => name === 'malformed')
  if (!found) throw new Error('the reference knows no malformed request of this operation')
  return found
}

function wrong({ message }: ErrorDetails): string {
  if (message?.endsWith('kinds of event')) return 'member.left,member.left'
  return message?.endsWith('UUID') ? 'nonsense' : 'x'.repeat(5000)
}

/** The operation with a field that its requests must now have: tests send what is required. */
function needing(operation: Operation, field = ''): Operation {
  const required = [...(operation.input.required ?? []), field]
  return { ...operation, input: Object.assign({}, operation.input, { required }) }
}

function bodyOf({ code, details }: ErrorExample): object {
  return new Refusal(code, details).body()
}
