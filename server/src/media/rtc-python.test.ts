import type { VoiceSession } from '@portico/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { haveLivekitForPython, PythonRtcBot } from '../../test/media/python-rtc-bot.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

describe.skipIf(!haveLivekitForPython)('a bot with LiveKit’s client for Python', () => {
  beforeAll(() => portal(MEDIA_ON))

  test('hears another bot and is heard, is silent while it is muted, and is disconnected when it is removed', async () => {
    const { server, owner, at, bots, room } = await channelFixture({ bots: 2, room: 'voice' })
    const [first, second] = bots
    const address = server.url.replace('http', 'ws')
    const join = { channelId: room.channelId }
    const { token } = expectOk(await first.post<VoiceSession>(`/rooms/${room.id}/voice`, join))
    const python = await PythonRtcBot.connect(address, token)
    const node = await joinVoiceRoom(second, room, address)
    const hears = (frequency: number) => eventually(() => node.share(first.id, frequency)).toBeGreaterThan(0.8)

    await node.play(1000)
    python.play(440)
    await Promise.all([hears(440), python.hears(second.id, 1000)])

    expectOk(await owner.put(`${at}/members/${first.id}/voice-mute`, {}))
    await eventually(() => node.room.remoteParticipants.get(first.id)?.trackPublications.size).toBe(0)
    expectOk(await owner.delete(`${at}/members/${first.id}/voice-mute`))
    await eventually(async () => {
      const connections = await server.services.embeddedMedia?.connections()
      return connections?.find(({ identity }) => identity === first.id)?.canPublish
    }).toBe(true)
    python.play(660)
    await hears(660)

    expectOk(await owner.delete(`${at}/members/${first.id}/voice`))
    await python.until(() => python.of('disconnected').length === 1)
    expect(python.of('disconnected')[0]?.reason).toBe('PARTICIPANT_REMOVED')
    await eventually(() => node.room.remoteParticipants.size).toBe(0)
  })
})
