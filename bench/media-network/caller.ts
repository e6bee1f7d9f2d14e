import type * as Livekit from 'livekit-client'
import type { Browser, Page } from 'playwright-core'

/** What a listener has received so far. Samples are those of 48 kHz that were played. */
export interface Heard {
  readonly codec: string
  readonly samples: number
  /** Made up, because nothing had arrived in time. */
  readonly concealed: number
  readonly packets: number
  readonly bytes: number
  readonly lost: number
  /** Milliseconds that a sample has waited for its turn, summed over all samples. */
  readonly waited: number
}

/** A page with LiveKit's unmodified client. */
export interface Caller {
  speak(): Promise<void>
  /** Resolves when someone is heard. */
  listen(): Promise<void>
  heard(): Promise<Heard>
  leave(): Promise<void>
}

export async function openCaller(browser: Browser, address: string, url: string, token: string): Promise<Caller> {
  const context = await browser.newContext({ permissions: ['microphone'] })
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(connect, { url, token })
  return {
    speak: () => page.evaluate(speak),
    async listen() {
      await page.waitForFunction(() => globalThis.received !== undefined)
      await page.waitForFunction(() => !globalThis.received!.mediaStreamTrack.muted)
    },
    heard: () => readHeard(page),
    leave: () => context.close(),
  }
}

async function connect({ url, token }: { readonly url: string; readonly token: string }): Promise<void> {
  globalThis.room = new LivekitClient.Room({ singlePeerConnection: false })
  room.on(LivekitClient.RoomEvent.TrackSubscribed, (track) => {
    if (track.kind !== LivekitClient.Track.Kind.Audio) return
    document.body.append(track.attach())
    globalThis.received = track as Livekit.RemoteAudioTrack
  })
  await room.connect(url, token)
}

/** As recorded: nothing is filtered out of the fake speech. */
async function speak(): Promise<void> {
  const raw = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  await room.localParticipant.setMicrophoneEnabled(true, raw)
}

function readHeard(page: Page): Promise<Heard> {
  return page.evaluate(async () => {
    const report = await globalThis.received?.getRTCStatsReport()
    const all = [...(report?.values() ?? [])] as Record<string, number & string>[]
    const stream = all.find(({ type }) => type === 'inbound-rtp') ?? {}
    const codec = all.find(({ id }) => id === stream['codecId'])
    return {
      codec: codec?.['mimeType'] ?? '',
      samples: stream['totalSamplesReceived'] ?? 0,
      concealed: stream['concealedSamples'] ?? 0,
      packets: stream['packetsReceived'] ?? 0,
      bytes: stream['bytesReceived'] ?? 0,
      lost: stream['packetsLost'] ?? 0,
      waited: (stream['jitterBufferDelay'] ?? 0) * 1000,
    }
  })
}

declare global {
  var LivekitClient: typeof Livekit
  var room: Livekit.Room
  var received: Livekit.RemoteAudioTrack | undefined
}
