import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import type { Bot } from '../../test/bot.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('moderation', () => {
  const fixture = botApiFixture()

  /** The audit log, newest first. */
  const audit = async () => {
    const { owner, at } = await fixture
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?limit=100`))
    return entries
  }
  const noted = async (action: string, more: object) => {
    const { bot } = await fixture
    expect((await audit())[0]).toMatchObject({ action, actor: { id: bot.id, name: bot.name }, ...more })
  }

  describe.each(['chat-mute', 'voice-mute'] as const)('PUT and DELETE …/%s', (route) => {
    const place = route === 'chat-mute' ? 'chat' : 'voice'
    const names = place === 'chat' ? (['muteChat', 'unmuteChat'] as const) : (['muteVoice', 'unmuteVoice'] as const)
    const onVictim = async () => {
      const { bot, victim, at, install } = await fixture
      await install(victim)
      const path = `${at}/members/${victim.id}/${route}`
      const mute = (body: object = {}) => bot.put<{ mutedUntil: string | null }>(path, body)
      return { victim, mute, unmute: (body?: object) => bot.delete(path, body) }
    }

    test('rejects a body that is null', async () => {
      const { bot, at } = await fixture
      const { victim } = await onVictim()
      for (const method of ['PUT', 'DELETE']) {
        const answer = await bot.request(method, `${at}/members/${victim.id}/${route}`, 'null', {
          'content-type': 'application/json',
        })
        expectRefusal(answer, 'badRequest', { field: 'body' })
      }
    })

    test('answers { userId, mutedUntil }, null without a duration, with and without a body', async () => {
      const { bot, at } = await fixture
      const { victim, mute, unmute } = await onVictim()
      const lasting = await mute()
      expectShape(names[0], lasting)
      expect(lasting.body).toEqual({ userId: victim.id, mutedUntil: null })
      expect((await bot.request('PUT', `${at}/members/${victim.id}/${route}`)).body).toEqual(lasting.body)

      const before = Date.now()
      const timed = await mute({ durationSec: 600, reason: 'Too loud' })
      const until = Date.parse(expectOk(timed).mutedUntil ?? '')
      expect(until).toBeGreaterThanOrEqual(before + 600_000)
      expect(until).toBeLessThanOrEqual(Date.now() + 600_000)
      await noted(`member.${place}_muted`, { targetId: victim.id, targetName: victim.name, reason: 'Too loud' })
      expectShape(names[1], await unmute({ reason: 'Enough' }))
      await noted(`member.${place}_unmuted`, { targetId: victim.id, reason: 'Enough' })
      const entries = (await audit()).length
      expectShape(names[1], await unmute())
      expect(await audit()).toHaveLength(entries)
    })

    test('accepts a durationSec of 1–2,419,200 and a reason of up to 512 characters', async () => {
      const { mute, unmute } = await onVictim()
      for (const durationSec of [0, -1, 1.5, 2_419_201, '60', null, true]) {
        expect(await mute({ durationSec })).toMatchObject({ status: 400, body: { field: 'durationSec' } })
      }
      expect((await mute({ durationSec: 2_419_200 })).status).toBe(200)
      expect((await mute({ durationSec: 1, reason: '😀'.repeat(512) })).status).toBe(200)
      for (const reason of ['x'.repeat(513), 1, null, 'a\u0000']) {
        expect(await mute({ reason })).toMatchObject({ status: 400, body: { field: 'reason' } })
        expect(await unmute({ reason })).toMatchObject({ status: 400, body: { field: 'reason' } })
      }
      expectOk(await unmute())
    })

    test('rejects someone who is not a member', async () => {
      const { call, newBot, owner, at } = await fixture
      const gone = await newBot()
      expectOk(await owner.delete(`${at}/applications/${gone.application.id}`))
      for (const userId of [gone.id, newId()]) {
        for (const name of names)
          expectRefusal(await call(name, { userId }), 'unprocessable', { reason: 'not_a_member' })
      }
    })
  })

  test('a chat mute prevents sending, editing and reacting, not reading and deleting, and expires', async () => {
    const { bot, victim, at, channel, room, install, messageOf } = await fixture
    await install(victim)
    const messages = `/rooms/${room.id}/messages`
    const own = await messageOf(victim)
    const channelId = channel.id
    const attempts = [
      () => victim.post(messages, { channelId, text: 'Hello' }),
      () => victim.patch(`${messages}/${own}`, { channelId, text: 'Hello' }),
      () => victim.post(`${messages}/${own}/reactions`, { channelId, emoji: '👍' }),
    ]
    for (const attempt of attempts) expect((await attempt()).status).toBeLessThan(300)
    expectOk(await bot.put(`${at}/members/${victim.id}/chat-mute`))
    for (const attempt of attempts) expect(await attempt()).toMatchObject({ status: 403, body: { reason: 'muted' } })
    expect((await victim.get(`${messages}?channelId=${channelId}`)).status).toBe(200)
    expect((await victim.delete(`${messages}/${await messageOf(victim)}`, { channelId })).status).toBe(204)

    const { mutedUntil } = expectOk(
      await bot.put<{ mutedUntil: string }>(`${at}/members/${victim.id}/chat-mute`, { durationSec: 1 }),
    )
    while (Date.now() < Date.parse(mutedUntil)) await sleep(50)
    for (const attempt of attempts) await works(attempt)
  })

  test('a voice mute keeps the member in the room with canPublish: false, and expires', async () => {
    const { bot, victim, at, channel, rooms, owner, install } = await fixture
    await install(victim)
    const join = () => victim.post<{ canPublish: boolean }>(`/rooms/${rooms.voice}/voice`, { channelId: channel.id })
    expect(expectOk(await join()).canPublish).toBe(true)
    expectOk(await bot.put(`${at}/members/${victim.id}/voice-mute`))
    const list = expectOk(await owner.get<{ rooms: { id: string; users?: { id: string }[] }[] }>(`${at}/rooms`))
    expect(list.rooms.find(({ id }) => id === rooms.voice)?.users?.map(({ id }) => id)).toContain(victim.id)
    expect(expectOk(await join()).canPublish).toBe(false)
    expectOk(await bot.put(`${at}/members/${victim.id}/voice-mute`, { durationSec: 1 }))
    for (;;) {
      if (expectOk(await join()).canPublish) break
      await sleep(50)
    }
  })

  describe('DELETE …/members/{userId}/voice', () => {
    test('removes the member from the voice room with voice.member_left, or answers 422', async () => {
      const { call, victim, otherVoice, publishedEvents } = await fixture
      const before = (await publishedEvents()).length
      expectShape('disconnectMember', await call('disconnectMember'))
      await noted('member.disconnected', { targetId: victim.id, details: { roomId: otherVoice } })
      expect((await publishedEvents()).slice(before)).toMatchObject([
        { event: 'voice.member_left', data: { roomId: null, user: { id: victim.id } } },
      ])
      const { bot, at } = await fixture
      expectRefusal(await bot.delete(`${at}/members/${victim.id}/voice`), 'unprocessable', { reason: 'not_in_voice' })
      expectRefusal(await call('disconnectMember', { userId: newId() }), 'unprocessable', { reason: 'not_a_member' })
    })

    test('writes the reason to the audit log', async () => {
      const { bot, victim, at, enter, otherVoice, install } = await fixture
      await install(victim)
      await enter(victim, otherVoice)
      expectOk(await bot.delete(`${at}/members/${victim.id}/voice`, { reason: 'Silence' }))
      await noted('member.disconnected', { reason: 'Silence' })
    })
  })

  describe('PUT …/members/{userId}/room', () => {
    test('publishes left, then joined; repeating it changes nothing', async () => {
      const { bot, victim, at, rooms, otherVoice, enter, install, publishedEvents } = await fixture
      await install(victim)
      await enter(victim, otherVoice)
      const move = (body: object) => bot.put(`${at}/members/${victim.id}/room`, body)
      const before = (await publishedEvents()).length
      const moved = await move({ roomId: rooms.voice, reason: 'Over here' })
      expectShape('moveMember', moved)
      expect(moved.body).toEqual({ userId: victim.id, roomId: rooms.voice })
      expect((await publishedEvents()).slice(before)).toMatchObject([
        { event: 'voice.member_left', data: { roomId: null, user: { id: victim.id } } },
        { event: 'voice.member_joined', data: { roomId: rooms.voice, user: { id: victim.id, name: victim.name } } },
      ])
      await noted('member.moved', { reason: 'Over here', details: { fromRoomId: otherVoice, toRoomId: rooms.voice } })
      const entries = (await audit()).length
      expect((await move({ roomId: rooms.voice })).body).toEqual(moved.body)
      expect(await audit()).toHaveLength(entries)
      expect(await publishedEvents()).toHaveLength(before + 2)
    })

    test('rejects a target that is not a voice room, of another channel or full, and a member outside voice', async () => {
      const { call, rooms, newRoom, enter, owner, newBot } = await fixture
      expectRefusal(await call('moveMember', { roomId: rooms.text }), 'unprocessable', { reason: 'wrong_room_type' })
      expectRefusal(await call('moveMember', { roomId: newId() }), 'unprocessable', { reason: 'no_such_room' })
      const full = await newRoom('voice', { userLimit: 1 })
      await enter(owner, full.id)
      expectRefusal(await call('moveMember', { roomId: full.id }), 'unprocessable', { reason: 'room_full' })
      const hidden = await newRoom('voice', { private: true })
      expectRefusal(await call('moveMember', { roomId: hidden.id }), 'unprocessable', { reason: 'no_such_room' })
      expectRefusal(await call('moveMember', { userId: newId() }), 'unprocessable', { reason: 'not_a_member' })
      const outside = await newBot()
      expectRefusal(await call('moveMember', { userId: outside.id }), 'unprocessable', { reason: 'not_in_voice' })
    })
  })

  test('kicking ends the voice session and access immediately, until an invitation', async () => {
    const { people, bots, owner, at, channel, room, newRoom, allow, publishedEvents } = await channelFixture({
      people: 1,
      bots: 1,
    })
    const [ada] = people
    const [bot] = bots
    await allow(bot, 'kick_member')
    const voice = await newRoom('voice')
    const { code } = expectOk(await owner.post<{ code: string }>(`${at}/invitations`, {}))
    expectOk(await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    const before = (await publishedEvents()).length

    expectShape('kickMember', await bot.delete(`${at}/members/${ada.id}`, { reason: 'Advertising' }))
    expect((await publishedEvents()).slice(before)).toMatchObject([
      { event: 'voice.member_left', data: { roomId: null, user: { id: ada.id } } },
    ])
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({
      action: 'member.kicked',
      actor: { id: bot.id },
      targetId: ada.id,
      targetName: ada.name,
      reason: 'Advertising',
    })

    for (const answer of [
      await ada.get(at),
      await ada.get(`/rooms/${room.id}/messages?channelId=${channel.id}`),
      await ada.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Still here?' }),
      await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }),
    ]) {
      expect(answer.status).toBe(403)
    }
    expect(await ada.post(`${at}/join`)).toMatchObject({ status: 403, body: { reason: 'kicked' } })
    expectRefusal(await bot.delete(`${at}/members/${ada.id}`), 'unprocessable', { reason: 'not_a_member' })
    expect((await ada.post(`/invitations/${code}/accept`)).status).toBe(200)
    expect((await ada.get(at)).status).toBe(200)
  })

  test('applies only to members ranked below the bot, never to the owner or the bot itself', async () => {
    const { bot, owner, newBot, give, newRole, at, enter, otherVoice, rooms } = await fixture
    await give(bot, 'CHANNEL_MODERATOR')
    const equal = await newBot()
    await give(equal, 'CHANNEL_MODERATOR')
    const higher = await newBot()
    await give(higher, 'CHANNEL_ADMIN')
    const below = await newBot()
    await give(below, 'CHANNEL_BOT', await newRole('Helper', []))
    for (const member of [owner, bot, equal, higher, below]) await enter(member, otherVoice)

    const attempts = (userId: string) => [
      () => bot.put(`${at}/members/${userId}/chat-mute`, {}),
      () => bot.delete(`${at}/members/${userId}/chat-mute`),
      () => bot.put(`${at}/members/${userId}/voice-mute`, {}),
      () => bot.delete(`${at}/members/${userId}/voice-mute`),
      () => bot.put(`${at}/members/${userId}/room`, { roomId: rooms.voice }),
      () => bot.delete(`${at}/members/${userId}/voice`),
      () => bot.delete(`${at}/members/${userId}`),
    ]
    const before = await audit()
    for (const { id } of [owner, bot, equal, higher]) {
      for (const attempt of attempts(id)) expectRefusal(await attempt(), 'forbidden', { reason: 'outranked' })
    }
    expect(await audit()).toEqual(before)
    for (const attempt of attempts(below.id)) expect((await attempt()).status).toBeLessThan(300)
    await give(bot, 'CHANNEL_ADMIN')
  })

  test('a mute survives leaving and rejoining', async () => {
    const { bot, victim, at, channel, room, install } = await fixture
    await install(victim)
    expectOk(await bot.put(`${at}/members/${victim.id}/chat-mute`, {}))
    expectOk(await bot.delete(`${at}/members/${victim.id}`))
    await install(victim)
    const sent = await victim.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Back' })
    expect(sent.status).toBe(403)
    expectOk(await bot.delete(`${at}/members/${victim.id}/chat-mute`))
    await works(() => victim.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Back' }))
  })
})

/** Polls, because the clocks of two programs differ. */
async function works(attempt: () => ReturnType<Bot['post']>): Promise<void> {
  for (;;) {
    const { status } = await attempt()
    if (status < 300) return
    expect(status).toBe(403)
    await sleep(50)
  }
}
