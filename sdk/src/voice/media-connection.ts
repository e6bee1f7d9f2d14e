import type * as LiveKit from '@livekit/rtc-node'
import { PorticoError } from '../client/errors.ts'
import { sleep } from '../client/sleep.ts'
import { readWav, writeWav } from './wav.ts'

const RATE = 48_000
/** How long listeners usually take to subscribe, at most. */
const SUBSCRIBING = 1000

/** What one participant said. */
export interface Recording {
  /** The id of the person or bot. */
  readonly userId: string
  /** A WAV file: 48 kHz, one channel, 16 bits. */
  readonly wav: Uint8Array<ArrayBuffer>
}

/** A connection to the media server of a voice room. */
export class MediaConnection {
  readonly #livekit: typeof LiveKit
  readonly #room: LiveKit.Room
  readonly #recordings = new Set<(userId: string, samples: Int16Array) => void>()

  private constructor(livekit: typeof LiveKit) {
    this.#livekit = livekit
    this.#room = new livekit.Room()
    this.#room.on(livekit.RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
      if (track.kind === livekit.TrackKind.KIND_AUDIO) void this.#hear(track, identity)
    })
  }

  static async open(url: string, token: string): Promise<MediaConnection> {
    const connection = new MediaConnection(await loadLiveKit())
    await connection.#room.connect(url, token, { autoSubscribe: true, dynacast: false })
    return connection
  }

  /** Plays a WAV file with 16-bit PCM, given as its bytes. Resolves when it was played. */
  async play(file: Uint8Array, { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { AudioSource, AudioFrame, LocalAudioTrack, TrackPublishOptions, TrackSource } = this.#livekit
    const { sampleRate, channels, samples } = readWav(file)
    const participant = this.#room.localParticipant
    if (!participant) throw new PorticoError('The bot is no longer connected to the voice room.')
    const source = new AudioSource(sampleRate, channels)
    const track = LocalAudioTrack.createAudioTrack('file', source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE })
    const publication = await participant.publishTrack(track, options)
    try {
      // Listeners miss the beginning if it is played before they have subscribed. In an empty room nobody does.
      await Promise.race([publication.waitForSubscription(), sleep(SUBSCRIBING, signal)])
      // Frames of 10 milliseconds.
      const length = Math.floor(sampleRate / 100) * channels
      for (let at = 0; at < samples.length; at += length) {
        signal?.throwIfAborted()
        const frame = samples.slice(at, at + length)
        await source.captureFrame(new AudioFrame(frame, sampleRate, channels, frame.length / channels))
      }
      await source.waitForPlayout()
    } finally {
      if (publication.sid !== undefined) await participant.unpublishTrack(publication.sid)
      await source.close()
    }
  }

  /** Records everyone who speaks until the signal is aborted. */
  async record({ signal }: { readonly signal: AbortSignal }): Promise<Recording[]> {
    const chunks = new Map<string, Int16Array[]>()
    const listen = (userId: string, samples: Int16Array): void => {
      const known = chunks.get(userId) ?? []
      known.push(samples)
      chunks.set(userId, known)
    }
    this.#recordings.add(listen)
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    this.#recordings.delete(listen)
    return [...chunks].map(([userId, parts]) => ({
      userId,
      wav: writeWav({ sampleRate: RATE, channels: 1, samples: joined(parts) }),
    }))
  }

  /** Disconnects from the media server. The bot stays visible in the room for up to 60 seconds. */
  close(): Promise<void> {
    return this.#room.disconnect()
  }

  async #hear(track: LiveKit.RemoteTrack, userId: string): Promise<void> {
    for await (const { data } of new this.#livekit.AudioStream(track, RATE, 1))
      for (const listen of this.#recordings) listen(userId, data.slice())
  }
}

/** An optional dependency: it contains native code, and few bots talk. */
async function loadLiveKit(): Promise<typeof LiveKit> {
  // The name is not a literal, so that bundlers and compilers don't look for a package that few need.
  const name = '@livekit/rtc-node'
  try {
    return (await import(name)) as typeof LiveKit
  } catch (cause) {
    throw new PorticoError('To play and record, install the package @livekit/rtc-node.', { cause })
  }
}

function joined(parts: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const samples = new Int16Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    samples.set(part, at)
    at += part.length
  }
  return samples
}
