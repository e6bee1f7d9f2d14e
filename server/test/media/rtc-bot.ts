import {
  AudioFrame,
  AudioSource,
  AudioStream,
  LocalAudioTrack,
  LocalVideoTrack,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
  VideoSource,
  VideoStream,
  type LocalTrackPublication,
  type RoomOptions,
} from '@livekit/rtc-node'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberedPicture, numberOf, PICTURE } from './numbered-picture.ts'

const RATE = 48_000
/** Samples of 10 milliseconds. */
const FRAME = RATE / 100
const LOUDNESS = 8000
/** Pictures in a second. */
export const FRAME_RATE = 20

/**
 * A bot that plays a tone, shows numbered pictures, and records what it hears and sees, with LiveKit's client for Node. Tests
 * must not call `dispose` of that client: it would break the client for the next test file in the same worker.
 */
export class RtcBot {
  readonly room = new Room()
  /** What it has heard since `record`, by the identity of who sent it. */
  readonly recorded = new Map<string, Int16Array[]>()
  /** How many pictures it has shown. */
  shown = 0
  /** The numbers of the pictures that it has seen. */
  readonly seen: number[] = []
  /** Why it was disconnected. */
  ended: number | undefined
  readonly #left = new AbortController()

  static async connect(url: string, token: string, more: Partial<RoomOptions> = {}): Promise<RtcBot> {
    const bot = new RtcBot()
    await bot.room.connect(url, token, { autoSubscribe: true, dynacast: false, ...more })
    return bot
  }

  private constructor() {
    this.room.on(RoomEvent.TrackSubscribed, (track, _publication, { identity }) => {
      if (track.kind === TrackKind.KIND_AUDIO) void this.#hear(new AudioStream(track, RATE, 1), identity)
      if (track.kind === TrackKind.KIND_VIDEO) void this.#see(new VideoStream(track))
    })
    this.room.on(RoomEvent.Disconnected, (reason) => (this.ended = reason))
  }

  /** Publishes a sine of this frequency until it leaves. */
  async play(frequency: number): Promise<LocalTrackPublication> {
    const source = new AudioSource(RATE, 1)
    const track = LocalAudioTrack.createAudioTrack('tone', source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE })
    const publication = await this.room.localParticipant?.publishTrack(track, options)
    if (!publication) throw new Error('not connected')
    void this.#feed(source, frequency)
    return publication
  }

  /** Publishes pictures that show their numbers, until it leaves. */
  async show(): Promise<void> {
    const source = new VideoSource(PICTURE.width, PICTURE.height)
    const track = LocalVideoTrack.createVideoTrack('numbers', source)
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_CAMERA, simulcast: false })
    if (!(await this.room.localParticipant?.publishTrack(track, options))) throw new Error('not connected')
    void this.#display(source)
  }

  /** Forgets what it has heard. */
  rewind(): void {
    this.recorded.clear()
  }

  /** How much of what it has heard from someone is a tone of this frequency, from 0 to 1. */
  share(identity: string, frequency: number): number {
    const samples = (this.recorded.get(identity) ?? []).flatMap((chunk) => [...chunk]).slice(-RATE)
    const total = samples.reduce((sum, sample) => sum + sample * sample, 0)
    if (samples.length < RATE / 2 || total === 0) return 0
    let [real, imaginary] = [0, 0]
    for (const [at, sample] of samples.entries()) {
      const angle = (2 * Math.PI * frequency * at) / RATE
      real += sample * Math.cos(angle)
      imaginary += sample * Math.sin(angle)
    }
    return (2 * (real * real + imaginary * imaginary)) / (samples.length * total)
  }

  async leave(): Promise<void> {
    this.#left.abort()
    await this.room.disconnect()
  }

  async #feed(source: AudioSource, frequency: number): Promise<void> {
    for (let at = 0; !this.#left.signal.aborted; at += FRAME) {
      const wave = (_: unknown, index: number) => LOUDNESS * Math.sin((2 * Math.PI * frequency * (at + index)) / RATE)
      await source.captureFrame(new AudioFrame(Int16Array.from({ length: FRAME }, wave), RATE, 1, FRAME))
    }
    await source.close()
  }

  async #display(source: VideoSource): Promise<void> {
    while (!this.#left.signal.aborted) {
      source.captureFrame(numberedPicture((this.shown += 1)))
      await sleep(1000 / FRAME_RATE)
    }
    await source.close()
  }

  async #see(stream: VideoStream): Promise<void> {
    for await (const { frame } of stream) this.seen.push(numberOf(frame))
  }

  async #hear(stream: AudioStream, identity: string): Promise<void> {
    for await (const { data } of stream) {
      const chunks = this.recorded.get(identity) ?? []
      chunks.push(data.slice())
      // Two seconds are enough.
      this.recorded.set(identity, chunks.slice(-200))
    }
  }
}
