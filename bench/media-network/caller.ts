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

/** What a viewer has received so far, of sound and picture. */
export interface Watched {
  readonly samples: number
  readonly concealed: number
  readonly frames: number
  /** Of the picture that is shown. */
  readonly height: number
  readonly bytes: number
}

export interface Picture {
  readonly width: number
  readonly height: number
}

/** A page with LiveKit's unmodified client. */
export interface Caller {
  speak(): Promise<void>
  /** With the camera, in several layers. */
  show(picture: Picture): Promise<void>
  /** Resolves when someone is heard. */
  listen(): Promise<void>
  heard(): Promise<Heard>
  watched(): Promise<Watched>
  leave(): Promise<void>
}

export async function openCaller(browser: Browser, address: string, url: string, token: string): Promise<Caller> {
  const context = await browser.newContext({ permissions: ['microphone', 'camera'] })
  const page = await context.newPage()
  await page.goto(address)
  await page.evaluate(connect, { url, token })
  return {
    speak: () => page.evaluate(speak),
    show: (picture) => page.evaluate(show, picture),
    async listen() {
      await page.waitForFunction(() => globalThis.received !== undefined)
      await page.waitForFunction(() => !globalThis.received!.mediaStreamTrack.muted)
    },
    heard: () => readHeard(page),
    watched: () => page.evaluate(watched),
    leave: () => context.close(),
  }
}

async function connect({ url, token }: { readonly url: string; readonly token: string }): Promise<void> {
  globalThis.room = new LivekitClient.Room({ singlePeerConnection: false })
  room.on(LivekitClient.RoomEvent.TrackSubscribed, (track) => {
    document.body.append(track.attach())
    if (track.kind === LivekitClient.Track.Kind.Audio) globalThis.received = track as Livekit.RemoteAudioTrack
    else globalThis.shown = track as Livekit.RemoteVideoTrack
  })
  await room.connect(url, token)
}

/** As recorded: nothing is filtered out of the fake speech. */
async function speak(): Promise<void> {
  const raw = { echoCancellation: false, noiseSuppression: false, autoGainControl: false }
  await room.localParticipant.setMicrophoneEnabled(true, raw)
}

async function show({ width, height }: Picture): Promise<void> {
  await room.localParticipant.setCameraEnabled(true, { resolution: { width, height, frameRate: 15 } })
}

async function watched(): Promise<Watched> {
  const read = async (track: Livekit.RemoteTrack | undefined): Promise<Record<string, number>> => {
    const report = await track?.getRTCStatsReport()
    const all = [...(report?.values() ?? [])] as Record<string, number & string>[]
    return all.find(({ type }) => type === 'inbound-rtp') ?? {}
  }
  const [sound, picture] = [await read(globalThis.received), await read(globalThis.shown)]
  return {
    samples: sound['totalSamplesReceived'] ?? 0,
    concealed: sound['concealedSamples'] ?? 0,
    frames: picture['framesDecoded'] ?? 0,
    height: picture['frameHeight'] ?? 0,
    bytes: (sound['bytesReceived'] ?? 0) + (picture['bytesReceived'] ?? 0),
  }
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
  var shown: Livekit.RemoteVideoTrack | undefined
}
