import {
  REFUSALS,
  ROOM_RIGHTS,
  type AccessCheck,
  type AccessExplanation,
  type ErrorBody,
  type RoomRight,
} from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { operationOf } from '../../test/expect-shape.ts'
import type { Answer } from '../../test/person.ts'
import { send, botApiFixture, type Values } from '../../test/bot-api-fixture.ts'
import { expectOk, channelFixture, newPortal, portal } from '../../test/channel-fixture.ts'
import { Stream } from '../../test/stream.ts'
import { MEDIA_ON } from '../../test/start-server.ts'
import { botOperations } from '../http/bot-operations.ts'
import { newId } from '../operations/ids.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

type Stage = Awaited<ReturnType<typeof botApiFixture>>

/** A situation that may block a bot, and the place that the request names in it. */
const SITUATIONS: Record<string, (on: Stage) => Promise<Values | void>> = {
  'nothing in its way': async () => undefined,
  'a key without scopes': async ({ bot }) => void (await bot.reissue([])),
  'a key with half of the scopes': async ({ bot }) => void (await bot.reissue(['messages:write', 'voice', 'commands'])),
  'a role without rights': async ({ bot, allow }) => allow(bot),
  'a role with a few rights': async ({ bot, allow }) =>
    allow(bot, 'write_text_room', 'react_text_msg', 'join_voice_room', 'kick_member'),
  'neither scopes nor rights': async ({ bot, allow }) => {
    await bot.reissue([])
    await allow(bot)
  },
  'rooms that deny it everything': async ({ bot, give, ...on }) => {
    await give(bot, 'CHANNEL_MODERATOR')
    await override(on, 'CHANNEL_MODERATOR', { deny: ROOM_RIGHTS })
  },
  'rooms that allow what its role lacks': async ({ bot, allow, ...on }) => {
    await allow(bot)
    await override(on, 'CHANNEL_BOT', { allow: ROOM_RIGHTS })
  },
  'a denial that its higher role overrules': async ({ bot, newRole, give, ...on }) => {
    const role = await newRole('Helper', [])
    await give(bot, 'CHANNEL_BOT', role)
    await override(on, 'CHANNEL_BOT', { deny: ROOM_RIGHTS })
    await override(on, role, { allow: ROOM_RIGHTS })
  },
  'a denial to its higher role': async ({ bot, newRole, give, ...on }) => {
    const role = await newRole('Helper', ['pin_text_msg'])
    await give(bot, 'CHANNEL_BOT', role)
    await override(on, 'CHANNEL_BOT', { allow: ROOM_RIGHTS })
    await override(on, role, { deny: ['write_text_room', 'read_text_room', 'join_voice_room'] })
  },
  'a mute in chat': async (on) => mute(on, 'chat-mute', {}),
  'a mute in voice': async (on) => mute(on, 'voice-mute', { durationSec: 600 }),
  'both mutes': async (on) => {
    await mute(on, 'chat-mute', { durationSec: 600 })
    await mute(on, 'voice-mute', {})
  },
  'a mute that has ended': async (on) => {
    await mute(on, 'chat-mute', { durationSec: 600 })
    await on.server.services.database.kysely
      .updateTable('members')
      .set({ chat_muted_until: '2020-01-01T00:00:00Z' })
      .where('account_id', '=', on.bot.id)
      .execute()
  },
  'rooms that are private': async (on) => hide(on),
  'private rooms that admit it': async (on) => {
    await hide(on)
    for (const roomId of Object.values(on.rooms)) {
      expectOk(await on.owner.put(`${on.at}/rooms/${roomId}/admissions`, { roleIds: [], memberIds: [on.bot.id] }))
    }
  },
  'rooms of another type': async ({ rooms }) => ({ roomId: rooms.stream }),
  'rooms of another channel': async () => ({ roomId: (await channelFixture()).room.id }),
  'rooms that are not there': async () => ({ roomId: newId() }),
  'no installation': async ({ owner, at, bot }) => {
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
  },
  'a channel that is not there': async () => ({ channelId: newId() }),
}

interface Rooms {
  readonly owner: Stage['owner']
  readonly at: string
  readonly rooms: Stage['rooms']
  readonly role: Stage['role']
}

async function override(
  { owner, at, rooms, role }: Rooms,
  to: 'CHANNEL_BOT' | 'CHANNEL_MODERATOR' | { readonly id: string },
  { allow = [], deny = [] }: { allow?: readonly RoomRight[]; deny?: readonly RoomRight[] },
): Promise<void> {
  const { id: roleId } = typeof to === 'string' ? await role(to) : to
  for (const roomId of Object.values(rooms)) {
    expectOk(await owner.put(`${at}/rooms/${roomId}/overrides/${roleId}`, { allow, deny }))
  }
}

async function mute({ owner, at, bot }: Stage, kind: string, how: object): Promise<void> {
  expectOk(await owner.put(`${at}/members/${bot.id}/${kind}`, how))
}

async function hide({ owner, at, rooms, bot, give }: Stage): Promise<void> {
  await give(bot, 'CHANNEL_MODERATOR')
  for (const roomId of Object.values(rooms)) expectOk(await owner.patch(`${at}/rooms/${roomId}`, { private: true }))
}

/** What the route refuses before it looks at the target of the request. */
function refusalOf({ status, body }: Answer): Omit<ErrorBody, 'status' | 'error'> | null {
  const { message, reason, requiredScope, requiredRight } = (body ?? {}) as ErrorBody
  const isHidden = message === REFUSALS.noMessageHere.message
  const byPlace =
    (status === 403 && reason === 'not_a_member') ||
    (status === 422 && (reason === 'no_such_room' || reason === 'wrong_room_type' || isHidden))
  if (!byPlace && requiredScope === undefined && requiredRight === undefined) return null
  return JSON.parse(JSON.stringify({ status, message, reason, requiredScope, requiredRight }))
}

/** Which checks can be the reason for an answer. */
function checksBehind({ reason, requiredScope, requiredRight }: NonNullable<AccessExplanation['refusal']>) {
  if (requiredScope !== undefined) return ['scope']
  if (requiredRight !== undefined) return ['role', 'override', 'mute']
  // A request that names only the room is answered about the room, although the bot isn't in its channel.
  return reason === 'not_a_member' ? ['installation'] : ['installation', 'room']
}

async function explain(on: Stage, name: string, values: Values): Promise<AccessExplanation> {
  const query = new URLSearchParams({ channelId: String(values['channelId']) })
  const { access, judgesIn } = operationOf(name)
  if (access?.room) query.set('roomId', String(values['roomId']))
  // Where the message is.
  if (judgesIn) query.set('roomId', on.rooms.text)
  const path = `/applications/${on.bot.application.id}/access/${name}?${query.toString()}`
  return expectOk(await on.owner.get<AccessExplanation>(path))
}

describe('explainAccess', () => {
  test.each(Object.keys(SITUATIONS))('with %s predicts the answer of every route', async (situation) => {
    const on = await botApiFixture()
    const elsewhere = (await SITUATIONS[situation]?.(on)) ?? {}
    for (const [name, operation] of botOperations) {
      // Skipped: it would revoke the key.
      if (name === 'revokeKey') continue
      const values = { ...(await on.prepare(operation)), ...elsewhere }
      const explained = await explain(on, name, values)
      const answer = await send(on.bot, operation, values)
      const note = `${name}: ${JSON.stringify(answer.body)} ${JSON.stringify(explained.checks)}`

      expect(explained.refusal, note).toEqual(refusalOf(answer))
      expect(explained.allowed, note).toBe(explained.refusal === null)
      const first = explained.checks.find(({ state }) => state === 'forbids')
      if (explained.refusal) expect(checksBehind(explained.refusal), note).toContain(first?.check)
      else expect(first, note).toBeUndefined()
      if (name === 'joinVoice' && explained.allowed) {
        const canPublish = explained.talking?.every(({ state }) => state !== 'forbids')
        expect(answer.body, note).toMatchObject({ canPublish })
      }
    }
  })

  test('names the role, the room override and the mute that decide', async () => {
    const on = await botApiFixture()
    const { bot, allow, owner, at, rooms } = on
    await allow(bot, 'react_text_msg')
    const lacking = await checksOf(on, 'sendMessage')
    expect(lacking).toMatchObject({
      scope: { state: 'passes', scope: 'messages:write' },
      installation: { state: 'passes' },
      room: { state: 'passes', needs: ['text'] },
      role: { state: 'forbids', right: 'write_text_room', roles: [{ name: 'Allowed' }, { systemName: 'CHANNEL_BOT' }] },
      override: { state: 'passes', roles: [] },
      mute: { state: 'passes' },
    })

    const allowed = (await on.roles()).find(({ name }) => name === 'Allowed')
    const denying = { allow: [], deny: ['react_text_msg'] }
    expectOk(await owner.put(`${at}/rooms/${rooms.text}/overrides/${allowed?.id}`, denying))
    expect(await checksOf(on, 'addReaction')).toMatchObject({
      role: { state: 'passes' },
      override: { state: 'forbids', roles: [{ systemName: 'CUSTOM', name: 'Allowed' }] },
    })

    const letting = { allow: ['write_text_room'], deny: [] }
    expectOk(await owner.put(`${at}/rooms/${rooms.text}/overrides/${allowed?.id}`, letting))
    await mute(on, 'chat-mute', { durationSec: 600 })
    expect(await checksOf(on, 'sendMessage')).toMatchObject({
      role: { state: 'overruled' },
      override: { state: 'passes' },
      mute: { state: 'forbids', until: expect.stringMatching(/^\d{4}-.*Z$/) },
    })
    await mute(on, 'chat-mute', {})
    expect(await checksOf(on, 'addReaction')).toMatchObject({ mute: { state: 'forbids', until: null } })
    expect(await checksOf(on, 'kickMember')).toMatchObject({ role: { state: 'forbids', right: 'kick_member' } })
  })

  test('says that nobody can talk while media is off, whatever the roles say', async () => {
    const silent = await newPortal({ MEDIA: 'off' })
    const { owner, bots, channel, room, allow } = await channelFixture({ bots: 1, room: 'voice', portal: silent })
    const [bot] = bots
    await allow(bot, 'join_voice_room', 'talk_voice_room')
    const query = `channelId=${channel.id}&roomId=${room.id}`
    const path = `/applications/${bot.application.id}/access/joinVoice?${query}`
    const { allowed, talking } = expectOk(await owner.get<AccessExplanation>(path))
    expect(allowed).toBe(true)
    expect(talking).toMatchObject([
      { check: 'media', state: 'forbids' },
      { check: 'role', state: 'passes', right: 'talk_voice_room' },
      { check: 'override', state: 'passes' },
      { check: 'mute', state: 'passes' },
    ])
    expect(expectOk(await bot.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))).toMatchObject({
      canPublish: false,
    })
  })

  test('explains in which rooms commands are shown, and whether the bot is asked for suggestions', async () => {
    const { server, owner, bots, at, channel, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const offered = async (operation: string, query = `channelId=${channel.id}&roomId=${room.id}`) => {
      const path = `/applications/${bot.application.id}/access/${operation}?${query}`
      const { allowed, offered } = expectOk(await owner.get<AccessExplanation>(path))
      expect(allowed).toBe(true)
      return offered?.filter(({ state }) => state === 'forbids')
    }
    const declare = async (suggestions: boolean) => {
      const options = [{ name: 'service', type: 'string', suggestions }]
      expectOk(await bot.put('/commands', { commands: [{ name: '/deploy', description: 'Deploys', options }] }))
    }
    expect(await offered('replaceCommands', '')).toBeUndefined()
    expect(await offered('replaceCommands')).toEqual([{ check: 'commands', state: 'forbids' }])
    await declare(false)
    expect(await offered('replaceCommands')).toEqual([])
    const offline = { check: 'kinds', state: 'forbids', fault: 'not_connected' }
    const lacking = { check: 'commands', state: 'forbids', fault: 'no_suggestions' }
    expect(await offered('sendSuggestions')).toEqual([lacking, offline])
    await declare(true)
    const tokenOf = (kinds: string) => async () =>
      expectOk(await bot.get<{ token: string }>(`/events/token?kinds=${kinds}`)).token
    const stream = await Stream.with(server, tokenOf('message.created'))
    expect(await offered('sendSuggestions')).toEqual([{ check: 'kinds', state: 'forbids', kinds: ['message.created'] }])
    stream.client.disconnect()
    await Stream.with(server, tokenOf('option.requested'))
    expect(await offered('sendSuggestions')).toEqual([])

    expectOk(await owner.put(`${at}/members/${bot.id}/chat-mute`, {}))
    const muted = [{ check: 'mute', state: 'forbids', until: null }]
    expect([await offered('replaceCommands'), await offered('sendSuggestions')]).toMatchObject([muted, muted])
    expectOk(await owner.delete(`${at}/members/${bot.id}/chat-mute`))
    expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: true }))
    expect(await offered('replaceCommands')).toMatchObject([{ check: 'room', fault: 'not_admitted' }])
  })

  test('reveals a private room that does not admit the bot only to callers who see the room', async () => {
    const { server, owner, newPerson, at, channel, newRoom, install } = await channelFixture()
    const hidden = await newRoom('text', { private: true })
    const author = await newPerson()
    const bot = await Bot.of(server, author, 'Guest')
    await install(bot)
    const path = `/applications/${bot.application.id}/access/sendMessage?channelId=${channel.id}&roomId=${hidden.id}`
    const roomReason = async () => {
      const { checks } = expectOk(await author.get<AccessExplanation>(path))
      return checks.find(({ check }) => check === 'room')?.fault
    }
    expect(await roomReason()).toBe('no_such_room')
    const rooms = `/applications/${bot.application.id}/channels/${channel.id}/rooms`
    const names = async () => expectOk(await author.get<{ rooms: { id: string }[] }>(rooms)).rooms.map(({ id }) => id)
    expect(await names()).not.toContain(hidden.id)

    expectOk(await author.post(`${at}/join`))
    expectOk(await owner.put(`${at}/rooms/${hidden.id}/admissions`, { roleIds: [], memberIds: [author.id] }))
    expect(await roomReason()).toBe('not_admitted')
    expect(await names()).toContain(hidden.id)
  })

  test('lists no rooms of a channel where neither the bot nor its owner is a member', async () => {
    const { owner, newBot } = await channelFixture()
    const elsewhere = await channelFixture()
    const bot = await newBot()
    const at = `/applications/${bot.application.id}/channels/${elsewhere.channel.id}/rooms`
    expect(expectOk(await owner.get(at))).toEqual({ rooms: [] })
  })

  test('treats an application without a key as one without scopes', async () => {
    const { owner, channel, room } = await channelFixture()
    const { id } = expectOk(await owner.post<{ id: string }>('/applications', { name: 'Keyless' }))
    const path = `/applications/${id}/access/sendMessage?channelId=${channel.id}&roomId=${room.id}`
    const { allowed, checks } = expectOk(await owner.get<AccessExplanation>(path))
    expect(allowed).toBe(false)
    expect(checks[0]).toEqual({ check: 'scope', state: 'forbids', fault: 'no_key', scope: 'messages:write' })
    const profile = expectOk(await owner.get<AccessExplanation>(`/applications/${id}/access/getProfile`))
    expect(profile).toMatchObject({ allowed: false, checks: [{ fault: 'no_key' }] })
  })

  test('is for the owner, and for operations of the bot API with the ids that they require', async () => {
    const { owner, newPerson, bots, channel, room } = await channelFixture({ bots: 1 })
    const at = `/applications/${bots[0].application.id}`
    const stranger = await newPerson()
    for (const path of [`${at}/access/getProfile`, `${at}/channels/${channel.id}/rooms`]) {
      expectRefusal(await stranger.get(path), 'unprocessable', { reason: 'no_such_application' })
    }
    for (const query of [
      'signIn',
      'nothing',
      'sendMessage',
      `sendMessage?channelId=${channel.id}`,
      `sendMessage?roomId=${room.id}`,
    ]) {
      expect(await owner.get(`${at}/access/${query}`), query).toMatchObject({ status: 400 })
    }
  })
})

async function checksOf(on: Stage, name: string): Promise<Record<string, AccessCheck>> {
  const { checks } = await explain(on, name, await on.prepare(operationOf(name)))
  return Object.fromEntries(checks.map((check) => [check.check, check]))
}
