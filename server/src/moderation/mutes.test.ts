import { setTimeout as sleep } from 'node:timers/promises'
import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { auditLog, expectAudited } from '../../test/audit-log.ts'
import type { Bot } from '../../test/bot.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectOk, channelFixture, portal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

const fixture = botApiFixture()

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
    await expectAudited(await fixture, `member.${place}_muted`, {
      targetId: victim.id,
      targetName: victim.name,
      reason: 'Too loud',
    })
    expectShape(names[1], await unmute({ reason: 'Enough' }))
    await expectAudited(await fixture, `member.${place}_unmuted`, { targetId: victim.id, reason: 'Enough' })
    const entries = (await auditLog(await fixture)).length
    expectShape(names[1], await unmute())
    expect(await auditLog(await fixture)).toHaveLength(entries)
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
      for (const name of names) expectRefusal(await call(name, { userId }), 'unprocessable', { reason: 'not_a_member' })
    }
  })
})

describe('muteChat', () => {
  test('prevents sending, editing and reacting, not reading and deleting, and expires', async () => {
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

  test('applies to people immediately', async () => {
    const { people, at, channel, room, give } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const send = () => ada.post<Message>(messages, { channelId, text: 'Hello' })
    await give(ben, 'CHANNEL_MODERATOR')
    const { id } = expectOk(await send())
    expectOk(await ben.put(`${at}/members/${ada.id}/chat-mute`, { reason: 'Calm down' }))
    for (const answer of [
      await send(),
      await ada.patch(`${messages}/${id}`, { channelId, text: 'Louder' }),
      await ada.post(`${messages}/${id}/reactions`, { channelId, emoji: '👍' }),
    ]) {
      expect(answer.status).toBe(403)
    }
    expect((await ada.get(`${messages}?channelId=${channelId}`)).status).toBe(200)
    expectOk(await ben.delete(`${at}/members/${ada.id}/chat-mute`))
    expect((await send()).status).toBe(201)
  })

  test('survives leaving and rejoining', async () => {
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

describe('muteVoice', () => {
  test('keeps the member in the room with canPublish: false, and expires', async () => {
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
