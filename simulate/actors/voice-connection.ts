import { LeaveRequest, SessionDescription, SignalRequest, SignalResponse } from '@livekit/protocol'
import { WebSocket } from 'ws'
import { createCertificate } from '../../media/src/dtls/certificate.ts'
import type { TransportDescription } from '../../media/src/transport/transport.ts'
import { answerTo } from '../../media/test/scripted-sdp.ts'
import { createTestPeer, type TestPeer } from '../../media/test/test-peer.ts'
import type { Actor, History } from '../history/history.ts'

/** In milliseconds. A server gives up on clients that don’t ping. */
const PING_EVERY = 4000
const CHECK_EVERY = 2500

/** One for all clients: to make one takes longer than to connect. */
const certificate = createCertificate()
let connections = 0

interface VoiceConnectionOptions {
  readonly history: History
  readonly actor: Actor
  readonly url: string
  readonly token: string
  readonly channelId: string
  readonly roomId: string
}

/** A LiveKit client that listens in a voice room: signaling, ICE and DTLS, without decoding anything. */
export class VoiceConnection {
  readonly channelId: string
  readonly roomId: string
  readonly #options: VoiceConnectionOptions
  readonly #position = (connections += 1)
  readonly #socket: WebSocket
  readonly #pings: NodeJS.Timeout
  #peer: TestPeer | undefined
  #turn = Promise.resolve()
  isOver = false

  constructor(options: VoiceConnectionOptions) {
    const { url, token, channelId, roomId } = options
    this.#options = options
    this.channelId = channelId
    this.roomId = roomId
    const query = new URLSearchParams({ access_token: token, protocol: '15', auto_subscribe: '1', sdk: 'js' })
    this.#record('opens')
    this.#socket = new WebSocket(`${url}/rtc?${query.toString()}`)
    // Followed by `close`.
    this.#socket.on('error', () => undefined)
    this.#socket.on('message', (bytes: Buffer) => this.#receive(bytes))
    this.#socket.on('close', (code: number) => this.#end(code))
    this.#pings = setInterval(() => this.#send({ case: 'ping', value: BigInt(Date.now()) }), PING_EVERY)
  }

  /** Says goodbye. */
  leave(): void {
    this.#record('leaves')
    this.#send({ case: 'leave', value: new LeaveRequest() })
    this.#socket.close()
  }

  /** Loses the connection, as when a laptop is closed. */
  drop(): void {
    this.#record('leaves')
    this.#socket.terminate()
  }

  #receive(bytes: Buffer): void {
    const { message } = SignalResponse.fromBinary(bytes)
    if (message.case === 'leave') this.#socket.close()
    if (message.case === 'offer') {
      const offer = message.value
      this.#turn = this.#turn.then(() => this.#answer(offer)).catch(() => this.#socket.terminate())
    }
  }

  async #answer({ sdp, id }: SessionDescription): Promise<void> {
    const port = /a=candidate:\S+ 1 udp \d+ \S+ (\d+) typ host/.exec(sdp)?.[1]
    if (port === undefined || this.isOver) return
    const isFirst = this.#peer === undefined
    const peer = (this.#peer ??= await createTestPeer({
      port: Number(port),
      certificate,
      checkIntervalMs: CHECK_EVERY,
    }))
    this.#send({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp: answerTo(sdp, peer), id }) })
    if (!isFirst) return
    await peer.connect(remoteOf(sdp))
    if (!this.isOver) this.#record('connected')
  }

  #send(message: SignalRequest['message']): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(new SignalRequest({ message }).toBinary())
  }

  #end(code: number): void {
    this.isOver = true
    clearInterval(this.#pings)
    this.#record('closed', code)
    void this.#peer?.[Symbol.asyncDispose]()
  }

  #record(what: 'opens' | 'connected' | 'leaves' | 'closed', code?: number): void {
    const { history, actor, channelId, roomId } = this.#options
    const connection = this.#position
    history.add({ kind: 'media', connection, actor, channelId, roomId, what, ...(code !== undefined && { code }) })
  }
}

function remoteOf(sdp: string): TransportDescription {
  const value = (name: string): string => new RegExp(`^a=${name}:(.*?)\\r?$`, 'm').exec(sdp)?.[1] ?? ''
  return { ufrag: value('ice-ufrag'), pwd: value('ice-pwd'), fingerprint: value('fingerprint') }
}
