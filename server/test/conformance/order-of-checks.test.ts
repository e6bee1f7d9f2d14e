import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import { expectRefusal } from '../expect-refusal.ts'
import { portal, channelFixture } from '../channel-fixture.ts'
import { botApiFixture } from '../bot-api-fixture.ts'

/** docs/api-rules.md, “Order of checks”: the first check that fails decides the answer. */
describe('order of checks', () => {
  const fixture = botApiFixture()

  test('1 before 2: an invalid key is 401 even if the request quota is used up', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await limit(bot.application.id, { requests: 1, writes: 20 })
    expect((await bot.get('/me')).status).toBe(200)
    expect((await bot.get('/me')).status).toBe(429)
    const old = bot.key
    await bot.reissue()
    expectRefusal(await bot.get('/me', { authorization: `Bot ${old}` }), 'unauthorized')
    expect((await bot.get('/me')).status).toBe(429)
  })

  test('2 before 3: with the request quota used up, a missing scope is not reported', async () => {
    const { bots } = await channelFixture({ bots: 1, scopes: ['voice'] })
    const [bot] = bots
    await limit(bot.application.id, { requests: 1, writes: 20 })
    expect(await bot.get('/commands')).toMatchObject({ status: 403, body: { requiredScope: 'commands' } })
    expect((await bot.get('/commands')).status).toBe(429)
  })

  test('3 before 4: a missing scope is reported before errors of path, query, body or content type', async () => {
    const { bots, channel } = await channelFixture({ bots: 1, scopes: [] })
    const [bot] = bots
    const missing = { status: 403, body: { requiredScope: 'messages:write' } }
    const at = `/rooms/${newId()}/messages`
    expect(await bot.request('POST', at, '{"channelId":')).toMatchObject(missing)
    expect(await bot.request('POST', at, 'text', { 'content-type': 'text/plain' })).toMatchObject(missing)
    expect(await bot.request('POST', at, `"${'x'.repeat(300_000)}"`)).toMatchObject(missing)
    expect(await bot.post(at, { channelId: channel.id, text: '' })).toMatchObject(missing)
    expect(await bot.post('/rooms/nonsense/messages', {})).toMatchObject(missing)
    const reading = { status: 403, body: { requiredScope: 'messages:read' } }
    expect(await bot.get(`${at}?limit=nonsense`)).toMatchObject(reading)
  })

  test('4 before 5: invalid input is 400 even in a channel where the application is not installed', async () => {
    const { call } = await fixture
    const channelId = newId()
    expect(await call('sendMessage', { channelId, text: '' })).toMatchObject({ status: 400, body: { field: 'text' } })
    expect(await call('getChannel', { channelId: 'nonsense' })).toMatchObject({
      status: 400,
      body: { field: 'channelId' },
    })
    const { bot, rooms } = await fixture
    const wrongKey = { 'idempotency-key': 'two words' }
    expect(await bot.post(`/rooms/${rooms.text}/messages`, { channelId, text: 'Hi' }, wrongKey)).toMatchObject({
      status: 400,
      body: { field: 'Idempotency-Key' },
    })
  })

  test('5 before 6: not installed is 403 even if the room belongs to another channel', async () => {
    const { call, channel } = await fixture
    const elsewhere = await channelFixture()
    expect(elsewhere.channel.id).not.toBe(channel.id)
    for (const channelId of [elsewhere.channel.id, newId()]) {
      for (const roomId of [elsewhere.room.id, newId()]) {
        const answer = await call('sendMessage', { channelId, roomId })
        expectRefusal(answer, 'forbidden', {
          message: 'The application isn’t installed in this channel.',
          reason: 'not_a_member',
        })
      }
    }
  })

  test('6 before 7: a wrong room is 422 even if the role lacks the right', async () => {
    const { bot, call, rooms, allow, give } = await fixture
    await allow(bot)
    expect((await call('sendMessage', { roomId: rooms.voice })).status).toBe(422)
    expect((await call('sendMessage', { roomId: newId() })).status).toBe(422)
    expect((await call('joinVoice', { roomId: rooms.text })).status).toBe(422)
    expect((await call('moveMember', { roomId: rooms.text })).status).toBe(422)
    expect((await call('moveMember', { roomId: newId() })).status).toBe(422)
    await give(bot, 'CHANNEL_ADMIN')
  })

  test('7 before 8: a missing right is reported before a missing message or member', async () => {
    const { bot, call, allow, give } = await fixture
    await allow(bot)
    const missing = { messageId: newId(), userId: newId(), replyToId: newId() }
    for (const [name, requiredRight] of [
      ['sendMessage', 'write_text_room'],
      ['editMessage', 'edit_text_msg_you_own'],
      ['deleteMessage', 'delete_text_msg_you_own'],
      ['deleteAnyMessage', 'delete_text_msg_any'],
      ['startMessage', 'write_text_room'],
      ['appendToMessage', 'write_text_room'],
      ['finishMessage', 'write_text_room'],
      ['showNotice', 'write_text_room'],
      ['addReaction', 'react_text_msg'],
      ['removeReaction', 'react_text_msg'],
      ['pinMessage', 'pin_text_msg'],
      ['unpinMessage', 'pin_text_msg'],
      ['muteChat', 'mute_chat_member'],
      ['unmuteVoice', 'mute_voice_member'],
      ['disconnectMember', 'move_voice_member'],
      ['moveMember', 'move_voice_member'],
      ['kickMember', 'kick_member'],
    ] as const) {
      expect(await call(name, missing), name).toMatchObject({ status: 403, body: { requiredRight } })
    }
    await give(bot, 'CHANNEL_ADMIN')
  })

  test('8 before 9: a missing target is reported before the write quota', async () => {
    const { bots, channel, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await limit(bot.application.id, { requests: 1000, writes: 1 })
    const at = `/rooms/${room.id}/messages`
    const message = { channelId: channel.id, text: 'Hello' }
    expect((await bot.post(at, message)).status).toBe(201)
    expect((await bot.post(at, message)).status).toBe(429)
    expect(await bot.post(at, { ...message, replyToId: newId() })).toMatchObject({ status: 422 })
    expect(await bot.delete(`${at}/${newId()}`, { channelId: channel.id })).toMatchObject({ status: 403 })
    const twice = [1, 2].map(() => ({ name: '/same', description: 'Same' }))
    expect(await bot.put('/commands', { commands: twice })).toMatchObject({ status: 400 })
  })
})

async function limit(applicationId: string, limits: { requests: number; writes: number }): Promise<void> {
  const { administrator } = await portal()
  expect((await administrator.put(`/applications/${applicationId}/limits`, limits)).status).toBe(200)
}
