import { MuteTrackRequest } from '@livekit/protocol'
import { RoomEvent } from '@livekit/rtc-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { channelFixture, newPortal, type Portal } from '../../test/channel-fixture.ts'
import { Livekit, livekitProgram } from '../../test/livekit.ts'
import { joinVoiceRoom } from '../../test/media/join-voice-room.ts'
import { SignalOutline } from '../../test/media/signal-outline.ts'
import { SignalRecorder } from '../../test/media/signal-recorder.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

/** The differences that are intended: lines that only one of the servers sends. */
const EXTRA = {
  // Someone is announced when they join, and again when their media flows. LiveKit announces them then.
  embedded: [/^update: \w+ JOINED /],
  livekit: [
    // The embedded server's candidates are in its descriptions.
    /^trickle$/,
    // A client that leaves doesn't wait for a response.
    /^leave: CLIENT_INITIATED/,
  ],
}

const BOTH = 'camera video/vp8, microphone audio/opus'

interface Media {
  readonly portal: Portal
  readonly url: string
  readonly extra: readonly RegExp[]
}

async function embedded(): Promise<Media> {
  const portal = await newPortal(MEDIA_ON)
  return { portal, url: portal.server.url.replace('http', 'ws'), extra: EXTRA.embedded }
}

async function livekit(): Promise<Media> {
  const server = await Livekit.start()
  onTestFinished(() => server.end())
  return { portal: await newPortal(server.settings), url: `ws://${server.host}`, extra: EXTRA.livekit }
}

/** Two bots that have not connected yet, and the messages that each receives. */
async function twoBots({ portal, url, extra }: Media) {
  const { bots, room } = await channelFixture({ bots: 2, room: 'voice', portal })
  const names = new Map(bots.map(({ id }, index) => [id, index === 0 ? 'ada' : 'bob']))
  const prepare = async (bot: Bot) => {
    const recorder = await SignalRecorder.start(url)
    const outline = new SignalOutline(bot.id, names)
    let received: string[] = []
    recorder.onMessage = (message) =>
      received.push(...outline.lines(message).filter((line) => !extra.some((one) => one.test(line))))
    return {
      recorder,
      connect: () => joinVoiceRoom(bot, room, recorder.url),
      /** Waits until exactly these messages were received since the last call; only the first has a fixed place. */
      expectMessages: async (first?: string, ...others: string[]): Promise<void> => {
        await expect.poll(() => inOrder(received)).toEqual(first === undefined ? [] : [first, ...others.toSorted()])
        received = []
      },
      /** The same where none has a fixed place. The first may be repeated as well. */
      expectInAnyOrder: async (...lines: string[]): Promise<void> => {
        await expect.poll(() => [...new Set(inOrder(received))].toSorted()).toEqual(lines.toSorted())
        received = []
      },
    }
  }
  const [first, second] = bots
  return { ada: await prepare(first), bob: await prepare(second) }
}

/** Of several offers only the last counts: tracks may be part of the first one, or follow. */
function inOrder(lines: readonly string[]): string[] {
  const lastOffer = lines.findLastIndex((line) => line.startsWith('offer'))
  const [first, ...others] = lines.filter((line, index) => !line.startsWith('offer') || index === lastOffer)
  return first === undefined ? [] : [first, ...new Set(others.toSorted())]
}

describe.each([
  ['the embedded media server', embedded, true],
  ['a LiveKit server', livekit, livekitProgram !== undefined],
])('%s', (_name, start, isThere) => {
  test.skipIf(!isThere)('tells clients who join, publish, mute, resume and leave what both servers tell', async () => {
    const { ada, bob } = await twoBots(await start())
    const adasClient = await ada.connect()
    await ada.expectMessages('join: nobody, primary true, ping 5/15', 'offer: application', 'answer')

    const { sid = '' } = await adasClient.play(440)
    await ada.expectMessages('trackPublished: microphone', 'answer')
    await adasClient.show()
    await ada.expectMessages('trackPublished: camera', 'answer')

    const bobsClient = await bob.connect()
    await bob.expectMessages(
      `join: ada ACTIVE [${BOTH}], primary true, ping 5/15`,
      'offer: application, audio, video',
      'answer',
    )
    await ada.expectInAnyOrder('trackSubscribed: microphone', 'trackSubscribed: camera', 'update: bob ACTIVE []')

    for (const muted of [true, false]) {
      ada.recorder.request({ case: 'mute', value: new MuteTrackRequest({ sid, muted }) })
      await bob.expectMessages(`update: ada ACTIVE [${BOTH}${muted ? ' muted' : ''}]`)
    }

    await bobsClient.leave()
    await ada.expectMessages('update: bob DISCONNECTED []')

    const resumed = new Promise<void>((resolve) => void adasClient.room.once(RoomEvent.Reconnected, () => resolve()))
    ada.recorder.cut()
    await resumed
    await ada.expectMessages('reconnect', 'offer: application', 'answer')
    await adasClient.leave()
    await Promise.all([ada.expectMessages(), bob.expectMessages()])
  })
})
