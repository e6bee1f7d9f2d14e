import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { startLossyRelay, type BadNetwork } from '../../../media/test/lossy-relay.ts'
import { FRAME_RATE, type RtcBot } from '../../test/media/rtc-bot.ts'
import { startSignalRelay } from '../../test/media/signal-relay.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

const { server } = await portal(MEDIA_ON)

/** In pictures, so that a slow machine matters less. */
const TWO_SECONDS = 2 * FRAME_RATE
/**
 * A busy machine looks like a narrow network, where the picture goes from keyframe to keyframe. There is one every five
 * seconds. `bandwidth.test.ts` of the media server expects two seconds, in virtual time.
 */
const SIX_SECONDS = 6 * FRAME_RATE

/** The client gives up after 15 seconds, which may be too few on a busy machine. Like a person, it tries again. */
async function enter(...to: Parameters<typeof joinVoiceRoom>): Promise<RtcBot> {
  for (let left = 3; left > 0; left -= 1) {
    try {
      return await joinVoiceRoom(...to)
    } catch (error) {
      if (!String(error).includes('timed out')) throw error
    }
  }
  return joinVoiceRoom(...to)
}

/** Two bots in a voice room: the first plays and shows, the second hears and sees. */
async function roomBehind(network: BadNetwork) {
  const { bots, room } = await channelFixture({ bots: 2, room: 'voice' })
  const relay = await startLossyRelay(server.services.embeddedMedia!.place.port, network)
  onTestFinished(() => relay[Symbol.asyncDispose]())
  const url = await startSignalRelay(server.url.replace('http', 'ws'), relay.port)
  const sender = await enter(bots[0], room, url)
  const receiver = await enter(bots[1], room, url)
  await Promise.all([sender.play(440), sender.show()])
  const hears = () => eventually(() => receiver.share(bots[0].id, 440))
  return { relay, sender, receiver, hears }
}

describe('a voice room', () => {
  test('goes on over a network that loses 5 % of the packets and reorders others', async () => {
    const { relay, sender, receiver, hears } = await roomBehind({ loss: 0.05, delayMs: 10, jitterMs: 30 })
    await eventually(() => receiver.seen.length).toBeGreaterThan(FRAME_RATE)
    for (let round = 0; round < 3; round += 1) {
      const before = receiver.seen.length
      receiver.rewind()
      await hears().toBeGreaterThan(0.7)
      await eventually(() => receiver.seen.length).toBeGreaterThan(before + TWO_SECONDS)
    }
    const gaps = receiver.seen.slice(1).map((number, at) => number - receiver.seen[at]!)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(SIX_SECONDS)

    const good = relay.network
    relay.network = { ...good, loss: 1 }
    const began = sender.shown
    await eventually(() => sender.shown).toBeGreaterThan(began + FRAME_RATE)
    relay.network = good
    const ended = sender.shown
    receiver.rewind()
    await eventually(() => receiver.seen.at(-1)).toBeGreaterThan(ended)
    expect(receiver.seen.find((number) => number > ended)).toBeLessThanOrEqual(ended + SIX_SECONDS)
    await hears().toBeGreaterThan(0.7)
  })

  test('can be entered over a network that loses 30 %', async () => {
    const { receiver, hears } = await roomBehind({ loss: 0.3, delayMs: 10, jitterMs: 30 })
    await hears().toBeGreaterThan(0.2)
    await eventually(() => receiver.seen.length).toBeGreaterThan(0)
    expect(receiver.room.isConnected).toBe(true)
  })
})
