import type { Instance, Output, Room } from '@portico/contract'
import type * as api from '@portico/contract'
import { TokenVerifier } from 'livekit-server-sdk'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import { MEDIA_ON, type TestServer } from '../../test/start-server.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectOk, channelFixture, newPortal, portal } from '../../test/channel-fixture.ts'

type Session = Output<typeof api.joinVoice>

await portal(MEDIA_ON)

/** The limit of 60 seconds without a connection is tested in media-watch.test.ts and portal-watch.test.ts. */
describe('joinVoice and leaveVoice', () => {
  const fixture = botApiFixture()

  test('move a member who joins a second room: voice.member_left, then voice.member_joined', async () => {
    const { bot, channel, at, rooms, otherVoice, publishedEvents } = await fixture
    const join = (roomId: string) => bot.post(`/rooms/${roomId}/voice`, { channelId: channel.id })
    expectOk(await bot.delete(`/rooms/${rooms.voice}/voice`))
    const before = (await publishedEvents()).length
    expectOk(await join(rooms.voice))
    expectOk(await join(otherVoice))
    expect((await publishedEvents()).slice(before)).toEqual([
      envelope(channel.id, 'voice.member_joined', { roomId: rooms.voice, user: { id: bot.id, name: bot.name } }),
      envelope(channel.id, 'voice.member_left', { roomId: null, user: { id: bot.id } }),
      envelope(channel.id, 'voice.member_joined', { roomId: otherVoice, user: { id: bot.id, name: bot.name } }),
    ])
    const list = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
    const inside = list.rooms.filter(({ users }) => users?.some(({ id }) => id === bot.id))
    expect(inside.map(({ id }) => id)).toEqual([otherVoice])
  })

  test('publish events with the channel nickname if there is one', async () => {
    const { bot, owner, channel, at, rooms, publishedEvents } = await fixture
    expectOk(await bot.delete(`/rooms/${rooms.voice}/voice`))
    expectOk(await owner.put(`${at}/members/${bot.id}/nickname`, { nickname: 'Radio' }))
    expectOk(await bot.post(`/rooms/${rooms.voice}/voice`, { channelId: channel.id }))
    expect((await publishedEvents()).at(-1)).toMatchObject({ data: { user: { id: bot.id, name: 'Radio' } } })
    const { rooms: listed } = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(listed.find(({ id }) => id === rooms.voice)?.users).toEqual([
      { id: bot.id, name: bot.name, channelNickname: 'Radio' },
    ])
    expectOk(await owner.put(`${at}/members/${bot.id}/nickname`, { nickname: null }))
  })

  test('answer a repeated join with a new token and publish nothing', async () => {
    const { bot, channel, rooms, publishedEvents } = await fixture
    const join = () => bot.post<Session>(`/rooms/${rooms.voice}/voice`, { channelId: channel.id })
    const first = expectOk(await join())
    const before = (await publishedEvents()).length
    const second = expectOk(await join())
    expect({ ...second, token: '' }).toEqual({ ...first, token: '' })
    expect(await publishedEvents()).toHaveLength(before)
  })

  test('reject a full room, and keep the member in their current room', async () => {
    const { bot, victim, channel, at, rooms, newRoom, install, publishedEvents } = await fixture
    await install(victim)
    const { id } = await newRoom('voice', { userLimit: 1 })
    expectOk(await victim.post(`/rooms/${id}/voice`, { channelId: channel.id }))
    expectOk(await bot.post(`/rooms/${rooms.voice}/voice`, { channelId: channel.id }))
    const before = (await publishedEvents()).length
    const refused = await bot.post(`/rooms/${id}/voice`, { channelId: channel.id })
    expectRefusal(refused, 'unprocessable', { reason: 'room_full' })
    expect(await publishedEvents()).toHaveLength(before)
    const list = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(list.rooms.find((room) => room.id === rooms.voice)?.users?.map((user) => user.id)).toContain(bot.id)
  })

  test('answer 204 and change nothing when the member is outside or in another room', async () => {
    const { bot, channel, rooms, otherVoice, publishedEvents } = await fixture
    expectOk(await bot.post(`/rooms/${rooms.voice}/voice`, { channelId: channel.id }))
    const before = (await publishedEvents()).length
    expectShape('leaveVoice', await bot.delete(`/rooms/${otherVoice}/voice`))
    expect(await publishedEvents()).toHaveLength(before)
    expectShape('leaveVoice', await bot.delete(`/rooms/${rooms.voice}/voice`))
    expectShape('leaveVoice', await bot.delete(`/rooms/${rooms.voice}/voice`))
    expect((await publishedEvents()).slice(before).map(({ event }) => event)).toEqual(['voice.member_left'])
  })

  test('issue a LiveKit token for one room and identity, valid for 2 minutes, with the role’s publishing rights', async () => {
    const { server, bot, channel, rooms, allow, give } = await fixture
    const join = async () => expectOk(await bot.post<Session>(`/rooms/${rooms.voice}/voice`, { channelId: channel.id }))
    const { token, identity, url } = await join()
    const claims = await verifier(server).verify(token)
    expect(claims).toMatchObject({
      sub: bot.id,
      name: bot.name,
      video: { room: rooms.voice, roomJoin: true, canPublish: true, canSubscribe: true },
    })
    expect(identity).toBe(bot.id)
    expect(url).toBe('ws://portico.test')
    expect(Number(claims.exp) - Number(claims.nbf)).toBe(2 * 60)

    await allow(bot, 'join_voice_room')
    const silent = await join()
    expect(silent.canPublish).toBe(false)
    expect((await verifier(server).verify(silent.token)).video).toMatchObject({
      canPublish: false,
      canPublishData: false,
    })
    await give(bot, 'CHANNEL_ADMIN')
  })

  test('answer a person with an address relative to the page, which may have been opened at any address', async () => {
    const { owner, channel, rooms } = await fixture
    const join = { channelId: channel.id }
    expect(expectOk(await owner.post<Session>(`/rooms/${rooms.voice}/voice`, join)).url).toBe('/')
  })

  test('make a member visible who cannot publish where media is turned off', async () => {
    const { server, owner, channel, room } = await channelFixture({ room: 'voice', portal: await newPortal() })
    const join = { channelId: channel.id }
    const { token, canPublish } = expectOk(await owner.post<Session>(`/rooms/${room.id}/voice`, join))
    expect(canPublish).toBe(false)
    expect((await verifier(server).verify(token)).video).toMatchObject({ roomJoin: true, canPublish: false })
    const { rooms } = expectOk(await owner.get<{ rooms: Room[] }>(`/channels/${channel.id}/rooms`))
    expect(rooms.find(({ id }) => id === room.id)?.users?.map(({ id }) => id)).toEqual([owner.id])
    const { hasMediaServer } = expectOk(await owner.get<Instance>('/instance'))
    expect(hasMediaServer).toBe(false)
  })

  test('never list private voice rooms, and admit only members whom the room admits', async () => {
    const { bot, owner, channel, at, newRoom } = await fixture
    const { id } = await newRoom('voice', { private: true })
    const join = () => bot.post(`/rooms/${id}/voice`, { channelId: channel.id })
    expectRefusal(await join(), 'unprocessable', { reason: 'no_such_room' })
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [bot.id] }))
    expectShape('joinVoice', await join())
    const { rooms } = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
    expect(rooms.find((room) => room.id === id)).toBeUndefined()
    expect(JSON.stringify(rooms)).not.toContain(bot.id)
    expectShape('leaveVoice', await bot.delete(`/rooms/${id}/voice`))
  })

  test('give the last place to one of two concurrent members', async () => {
    const { bots, channel, at, newRoom } = await channelFixture({ bots: 6 })
    for (let round = 0; round < 5; round += 1) {
      const { id } = await newRoom('voice', { userLimit: 2 })
      const answers = await Promise.all(bots.map((bot) => bot.post(`/rooms/${id}/voice`, { channelId: channel.id })))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 422, 422, 422, 422])
      const { rooms } = expectOk(await bots[0].get<{ rooms: Room[] }>(`${at}/rooms`))
      expect(rooms.find((room) => room.id === id)?.users).toHaveLength(2)
    }
  })

  test('leave a member who joins many rooms concurrently in one, with matching joined and left events', async () => {
    const { bots, channel, at, newRoom, publishedEvents } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const places = await Promise.all([1, 2, 3, 4].map(() => newRoom('voice')))
    const attempts = [...places, ...places].map(({ id }) => bot.post(`/rooms/${id}/voice`, { channelId: channel.id }))
    for (const answer of await Promise.all(attempts)) expect(answer.status).toBe(200)
    const { rooms } = expectOk(await bot.get<{ rooms: Room[] }>(`${at}/rooms`))
    const [inside, ...others] = rooms.filter(({ users }) => users?.length)
    expect(others).toEqual([])
    let current: unknown = null
    for (const { event, data } of await publishedEvents()) {
      expect(event).toBe(current === null ? 'voice.member_joined' : 'voice.member_left')
      current = event === 'voice.member_joined' ? data['roomId'] : null
    }
    expect(current).toBe(inside?.id)
  })

  test('stay consistent under concurrent moves, joins, disconnects and kicks of one member', async () => {
    const { bots, channel, at, room, newRoom, give, install, publishedEvents } = await channelFixture({
      bots: 3,
      room: 'voice',
    })
    const [bot, other, victim] = bots
    await give(bot, 'CHANNEL_MODERATOR')
    await give(other, 'CHANNEL_MODERATOR')
    const second = await newRoom('voice')
    for (let round = 0; round < 8; round += 1) {
      await install(victim)
      const attempts = [
        victim.post(`/rooms/${room.id}/voice`, { channelId: channel.id }),
        bot.put(`${at}/members/${victim.id}/room`, { roomId: second.id }),
        other.put(`${at}/members/${victim.id}/room`, { roomId: room.id }),
        victim.post(`/rooms/${second.id}/voice`, { channelId: channel.id }),
        bot.delete(`${at}/members/${victim.id}/voice`),
        victim.delete(`/rooms/${second.id}/voice`),
        other.put(`${at}/members/${victim.id}/voice-mute`, {}),
        ...(round % 2 ? [bot.delete(`${at}/members/${victim.id}`)] : []),
      ]
      for (const { status, body } of await Promise.all(attempts)) {
        expect([200, 204, 403, 422], JSON.stringify(body)).toContain(status)
      }
    }
    let inside = false
    for (const { event } of await publishedEvents()) {
      expect(event).toBe(inside ? 'voice.member_left' : 'voice.member_joined')
      inside = !inside
    }
  })

  test('publish voice.member_left when a member leaves the channel or the room is deleted', async () => {
    const { people, bots, channel, at, owner, room, publishedEvents, newRoom } = await channelFixture({
      people: 1,
      bots: 1,
      room: 'voice',
    })
    const [ada] = people
    const [bot] = bots
    expectOk(await ada.post(`/rooms/${room.id}/voice`, { channelId: channel.id }))
    expectOk(await ada.delete(`${at}/membership`))
    const doomed = await newRoom('voice')
    expectOk(await bot.post(`/rooms/${doomed.id}/voice`, { channelId: channel.id }))
    expectOk(await owner.delete(`${at}/rooms/${doomed.id}`))
    expect((await publishedEvents()).map(({ event, data }) => [event, (data['user'] as { id: string }).id])).toEqual([
      ['voice.member_joined', ada.id],
      ['voice.member_left', ada.id],
      ['voice.member_joined', bot.id],
      ['voice.member_left', bot.id],
    ])
  })
})

function envelope(channelId: string, event: string, data: object) {
  return { event, timestamp: expect.stringMatching(/^\d{4}-.*Z$/), channelId, data }
}

function verifier({ services }: TestServer): TokenVerifier {
  return new TokenVerifier('portico', services.secret.key('media tokens').toString('base64url'))
}
