import { ContinualGatheringPolicy, IceTransportType } from '@livekit/rtc-node'
import { describe, expect, test } from 'vitest'
import { channelFixture, newPortal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { coturnPath, startCoturn } from '../../test/media/coturn.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

/** As in a network that lets nothing else through. */
const RELAY_ONLY = {
  rtcConfig: {
    iceTransportType: IceTransportType.TRANSPORT_RELAY,
    continualGatheringPolicy: ContinualGatheringPolicy.GATHER_CONTINUALLY,
    iceServers: [],
  },
}

describe.skipIf(coturnPath === undefined)('the TURN server of TURN_URL', () => {
  test('accepts the credentials that clients get, and carries their sound', async () => {
    const { settings, log } = await startCoturn()
    const portal = await newPortal({ ...MEDIA_ON, ...settings })
    const { server, bots, room } = await channelFixture({ bots: 2, room: 'voice', portal })
    const url = server.url.replace('http', 'ws')
    const [one, two] = await Promise.all(bots.map((bot) => joinVoiceRoom(bot, room, url, RELAY_ONLY)))
    await Promise.all([one?.play(440), two?.play(1000)])
    await eventually(() => two?.share(bots[0].id, 440)).toBeGreaterThan(0.8)
    await eventually(() => one?.share(bots[1].id, 1000)).toBeGreaterThan(0.8)
    expect(log()).toMatch(/ALLOCATE processed, success/)
  })
})
