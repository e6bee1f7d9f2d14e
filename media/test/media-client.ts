import { AddTrackRequest, SessionDescription, TrackSource, TrackType } from '@livekit/protocol'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { readRtp } from '../src/rtp/packet.ts'
import type { TransportDescription } from '../src/transport/transport.ts'
import { rtpPacket } from './rtp-stream.ts'
import { answerTo, offerOf, type ScriptedTrack } from './scripted-sdp.ts'
import { SignalClient } from './signal-client.ts'
import { createTestPeer, type TestPeer } from './test-peer.ts'

const CREDENTIALS = { ufrag: 'client', pwd: 'a+password+of+22+chars' }
const OPUS = 111
const HEADER_SIZE = 12

/** A whole LiveKit client without a browser: signaling and both connections, with packets that the test writes. */
export class MediaClient {
  readonly signal: SignalClient
  /** The payloads that it has received. */
  readonly heard: string[] = []
  readonly #socket: WebSocket
  #subscriber: TestPeer | undefined
  #publisher: TestPeer | undefined
  #sent = 100
  #answered = 0

  static async connect(url: string, token: string, query = ''): Promise<MediaClient> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rtc?access_token=${token}${query}`)
    const client = new MediaClient(socket)
    await once(socket, 'open')
    return client
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.signal = new SignalClient((bytes) => socket.send(bytes))
    socket.on('message', (bytes: Buffer) => {
      this.signal.deliver(bytes)
      void this.#answerOffers()
    })
    socket.on('close', (code) => (this.signal.closed = code))
    onTestFinished(async () => {
      socket.terminate()
      await this.#subscriber?.[Symbol.asyncDispose]()
      await this.#publisher?.[Symbol.asyncDispose]()
    })
  }

  /** Publishes a track, and returns its sid. */
  async publish(track: ScriptedTrack): Promise<string> {
    const type = track.kind === 'audio' ? TrackType.AUDIO : TrackType.VIDEO
    const source = track.kind === 'audio' ? TrackSource.MICROPHONE : TrackSource.CAMERA
    this.signal.request({ case: 'addTrack', value: new AddTrackRequest({ cid: track.cid, type, source }) })
    const { track: info } = await this.signal.next('trackPublished')
    await this.offer([track])
    return info?.sid ?? ''
  }

  /** Negotiates the publishing connection, and opens it. */
  async offer(tracks: readonly ScriptedTrack[]): Promise<void> {
    const isNew = this.#publisher === undefined
    const peer = (this.#publisher ??= await createTestPeer({ port: await this.port(), ...CREDENTIALS }))
    const sdp = offerOf(peer, tracks)
    this.signal.request({ case: 'offer', value: new SessionDescription({ type: 'offer', sdp, id: 1 }) })
    const answer = await this.signal.next('answer')
    if (isNew) await peer.connect(descriptionOf(answer.sdp))
  }

  /** Sends a packet whose payload is this text, whether or not that is allowed. */
  say(text: string, { ssrc = 11, payloadType = OPUS } = {}): void {
    const packet = rtpPacket({ ssrc, payloadType, sequenceNumber: (this.#sent += 1), payload: Buffer.from(text) })
    this.#publisher?.sendRtp(packet.subarray(0, HEADER_SIZE), packet.subarray(HEADER_SIZE))
  }

  /** Goes on from another address, as after a change of network. */
  async move(): Promise<void> {
    await this.#publisher?.move()
    await this.#subscriber?.move()
  }

  /** Loses the signaling, and nothing else. */
  async drop(): Promise<void> {
    this.#socket.terminate()
    await once(this.#socket, 'close')
  }

  /** The media port, from the candidates of the first offer. */
  async port(): Promise<number> {
    for (;;) {
      const offer = this.signal.received.find((message) => message.case === 'offer')
      const [, port] = /a=candidate:\S+ 1 udp \d+ \S+ (\d+) typ host/.exec(offer?.value.sdp ?? '') ?? []
      if (port !== undefined) return Number(port)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async #answerOffers(): Promise<void> {
    const offers = this.signal.received.filter((message) => message.case === 'offer')
    const offer = offers[this.#answered]?.value
    if (!offer) return
    this.#answered += 1
    const isNew = this.#subscriber === undefined
    const peer = (this.#subscriber ??= await createTestPeer({ port: await this.port(), ...CREDENTIALS }))
    peer.onRtp = (packet) => this.heard.push(readRtp(packet)?.payload.toString() ?? '')
    const sdp = answerTo(offer.sdp, peer)
    this.signal.request({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp, id: offer.id }) })
    if (isNew) await peer.connect(descriptionOf(offer.sdp))
  }
}

function descriptionOf(sdp: string): TransportDescription {
  const line = (name: string): string => new RegExp(`a=${name}:(.*)\\r`).exec(sdp)?.[1] ?? ''
  return { ufrag: line('ice-ufrag'), pwd: line('ice-pwd'), fingerprint: line('fingerprint') }
}
