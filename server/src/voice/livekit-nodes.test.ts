import { DisconnectReason } from '@livekit/rtc-node'
import { describe, test } from 'vitest'
import { channelFixture, expectOk, newPortal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { Livekit, livekitProgram } from '../../test/livekit.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { redisProgram, RedisServer } from '../../test/redis.ts'
import { voiceOccupants } from '../../test/voice-occupants.ts'

const isPossible = livekitProgram !== undefined && redisProgram !== undefined

describe.skipIf(!isPossible)('two LiveKit nodes with one Redis', () => {
  test('put everyone who joins a voice room through either of them into one room', async () => {
    const redis = await RedisServer.start()
    atFileEnd(() => redis.kill())
    const one = await Livekit.start({ redis })
    atFileEnd(() => one.end())
    const other = await Livekit.start({ redis, portal: one })
    atFileEnd(() => other.end())
    const fixture = await channelFixture({ bots: 2, room: 'voice', portal: await newPortal(one.settings) })
    const { owner, at, bots, room } = fixture
    const [ada, bob] = bots
    const adas = await joinVoiceRoom(ada, room, `ws://${one.host}`)
    const bobs = await joinVoiceRoom(bob, room, `ws://${other.host}`)
    await Promise.all([adas.play(440), bobs.play(1000)])
    await eventually(() => bobs.share(ada.id, 440)).toBeGreaterThan(0.8)
    await eventually(() => adas.share(bob.id, 1000)).toBeGreaterThan(0.8)
    const { inside } = voiceOccupants(fixture)
    await eventually(async () => (await inside()).toSorted()).toEqual([ada.id, bob.id].toSorted())
    const { media } = fixture.server.services
    if (media.kind === 'off') throw new Error('the portal was started without a media server')
    const connections = async () => (await media.connections()).map(({ identity }) => identity)
    await eventually(async () => (await connections()).toSorted()).toEqual([ada.id, bob.id].toSorted())
    // The portal asks one of them, whichever has the room.
    expectOk(await owner.delete(`${at}/members/${bob.id}/voice`))
    await eventually(() => bobs.ended).toBe(DisconnectReason.PARTICIPANT_REMOVED)
    await eventually(() => adas.room.remoteParticipants.size).toBe(0)
    await eventually(inside).toEqual([ada.id])
  })
})
