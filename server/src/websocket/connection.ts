import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { RATE_LIMITS } from '@portico/contract'
import type { Log } from '../telemetry/log.ts'
import type { RateLimiter } from '../quotas/rate-limiter.ts'
import type { Hub } from './hub.ts'
import { CLOSES, ERRORS, type Close, type ErrorReply } from '../events/stream-codes.ts'
import { isPong, lacksId, refuseUnsupported } from './protocol.ts'
import type { Codec, Command, ConnectRequest, Frame, Reply, SubscribeRequest } from './protocol.ts'
import type { Admission, Progress, Receiver } from './receiver.ts'
import { isRoomChannel } from './open-rooms.ts'
import { Subscription } from './subscription.ts'
import { Wire } from './wire.ts'

const MOST_QUEUED = 100
/** A client that misses the close code reconnects forever: some need a pause between data and close. */
const PAUSE_BEFORE_DISPLACING = 200
/** How long a refused client may take to close, so that it reads the reason. */
const PAUSE_AFTER_REFUSING = 2500

export interface ConnectionOptions {
  readonly version: string
  readonly pingSeconds: number
  readonly admit: (request: ConnectRequest) => Promise<Admission>
  readonly limiter: RateLimiter
  /** Of single sockets, which only their node knows. */
  readonly commandLimiter: RateLimiter
}

/** One socket: commands in, replies and events out, in the order that the protocol requires. */
export class Connection {
  readonly id = randomUUID()
  readonly codec: Codec
  receiver: Receiver | undefined
  /** When it was opened, and is next pinged and reviewed, in milliseconds of a monotonic clock. */
  readonly openedAt = performance.now()
  pingDue = Infinity
  reviewDue = Infinity
  pongsMissed = 0
  /** When its token expires, on the same clock; the client must have sent a new one by then. */
  expiresAt = Infinity
  readonly #wire: Wire
  readonly #subscription: Subscription
  readonly #hub: Hub
  readonly #terms: ConnectionOptions
  readonly #log: Log
  #phase: 'new' | 'connecting' | 'open' | 'over' = 'new'
  #work: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(socket: WebSocket, stream: Duplex, codec: Codec, hub: Hub, terms: ConnectionOptions, log: Log) {
    this.#wire = new Wire(socket, stream)
    this.#subscription = new Subscription(this, hub, log)
    this.codec = codec
    this.#hub = hub
    this.#terms = terms
    this.#log = log
    socket.on('message', (data: Buffer) => this.#receive(data))
    // An oversized frame is an 'error' event, which would crash the process without a listener. The socket closes itself.
    socket.on('error', (error) => log.debug({ err: error }, 'socket error'))
    socket.on('close', () => this.#closed())
  }

  get isConnected(): boolean {
    return this.#phase === 'open'
  }

  get progress(): Progress {
    return this.#subscription.progress
  }

  get isNew(): boolean {
    return this.#phase === 'new'
  }

  send(frame: Frame): void {
    if (!this.#wire.send(frame, this.codec.binary)) this.close(CLOSES.slow)
  }

  /** Resolves when the client can take more. */
  sendCalmly(frame: Frame): Promise<void> {
    this.send(frame)
    return this.#wire.calm()
  }

  reply(reply: Reply): void {
    this.send(this.codec.encode(reply))
  }

  refuse(id: number, error: ErrorReply): void {
    this.reply({ id, error })
  }

  /**
   * Queues a live event, which is sent with `release`. Skips an event that recovery has already sent.
   */
  deliver(seq: number, frame: Buffer): void {
    if (this.#subscription.takes(seq)) this.#wire.hold(frame)
  }

  /** Sends the queued events as one write. */
  release(join: (frames: readonly Buffer[]) => Buffer): void {
    if (!this.#wire.release(join)) this.close(CLOSES.slow)
  }

  /** Sends an ephemeral event: only connected clients receive it. */
  sendEphemeral(frame: Buffer): void {
    if (this.#subscription.isLive && !this.#wire.sendWhole(frame)) this.close(CLOSES.slow)
  }

  ping(): void {
    this.send(this.codec.ping)
  }

  close(close: Close, pause = 0): void {
    if (this.#phase === 'over') return
    this.#over()
    this.#wire.close(close, pause)
  }

  /** Yields to a newer connection: sends nothing more, and closes after a pause. */
  displace(): void {
    this.close(CLOSES.displaced, PAUSE_BEFORE_DISPLACING)
  }

  /** Recovery is expensive, so it is rate-limited per account, across all its connections. */
  mayRecover({ accountId }: Receiver): boolean {
    return this.#terms.limiter.take(`recoveries ${accountId}`, RATE_LIMITS.recoveries) === 0
  }

  /** Closes the connection if it is no longer allowed. */
  async review(): Promise<void> {
    const ending = await this.receiver?.endedBy()
    if (ending === CLOSES.displaced) this.displace()
    else if (ending) this.close(ending)
  }

  #over(): void {
    this.#phase = 'over'
    this.#subscription.end()
    this.#hub.forget(this)
  }

  #closed(): void {
    if (this.#phase !== 'over') this.#over()
    this.receiver
      ?.left(this.progress)
      .catch((error: unknown) => this.#log.error({ err: error }, 'recording a disconnect failed'))
  }

  #receive(data: Buffer): void {
    if (this.#phase === 'over') return
    let commands: Command[]
    try {
      commands = this.codec.decode(data)
    } catch {
      return this.close(CLOSES.badRequest)
    }
    for (const command of commands) {
      if (this.#terms.commandLimiter.take(`commands ${this.id}`, RATE_LIMITS.socketCommands) > 0)
        return this.close(CLOSES.tooManyCommands)
      if (isPong(command)) this.pongsMissed = 0
      else if (lacksId(command)) return this.close(CLOSES.badRequest)
      else this.#enqueue(command)
    }
  }

  /** Pipelined commands run one after another: a subscribe waits for the connect before it. */
  #enqueue(command: Command): void {
    this.#queued += 1
    if (this.#queued > MOST_QUEUED) return this.close(CLOSES.tooManyCommands)
    this.#work = this.#work.then(async () => {
      try {
        if (this.#phase !== 'over') await this.#carryOut(command)
      } catch (error) {
        this.#log.error({ err: error }, 'socket command failed')
        this.refuse(command.id, ERRORS.internal)
      } finally {
        this.#queued -= 1
      }
    })
  }

  async #carryOut(command: Command): Promise<void> {
    const { id, connect, subscribe, unsubscribe, refresh, ping, other } = command
    if (connect) return this.#phase === 'new' ? this.#connect(id, connect) : this.close(CLOSES.badRequest)
    if (!this.receiver) return this.close(CLOSES.badRequest)
    if (subscribe) return this.#subscribe(id, subscribe, this.receiver)
    if (unsubscribe) return this.#unsubscribe(id, unsubscribe.channel, this.receiver)
    if (refresh) return this.#refresh(id, refresh.token, this.receiver)
    if (ping) return this.reply({ id, ping: {} })
    // `send` has no reply, so closing is the only way to refuse it.
    if (other === 'send') return this.close(CLOSES.notAvailable)
    this.refuse(id, refuseUnsupported(other))
  }

  async #connect(id: number, request: ConnectRequest): Promise<void> {
    this.#phase = 'connecting'
    const admission = await this.#terms.admit(request)
    if (this.#phaseNow() === 'over') {
      // The client left during admission: the stream must not look occupied.
      if ('receiver' in admission) await admission.receiver.left(this.progress)
      return
    }
    if ('close' in admission) return this.close(admission.close)
    if ('error' in admission) return this.#refuseConnecting(id, admission.error)

    const { receiver } = admission
    this.receiver = receiver
    this.#phase = 'open'
    this.#hub.admit(this, receiver)
    const { version, pingSeconds } = this.#terms
    const alive = { ping: pingSeconds, pong: true } as const
    this.reply({ id, connect: { client: this.id, version, ...alive, ...this.#expiry(receiver.expiresAt) } })
    // It may have been ended between admission and now, when no one could know this connection.
    await this.review()
  }

  /** A refused client may send nothing more. */
  #refuseConnecting(id: number, error: ErrorReply): void {
    this.refuse(id, error)
    this.close(CLOSES.expired, PAUSE_AFTER_REFUSING)
  }

  async #refresh(id: number, token: string, receiver: Receiver): Promise<void> {
    if (token === '') return this.close(CLOSES.badRequest)
    const answer = await receiver.refresh(token)
    if ('code' in answer) return this.close(answer)
    this.reply({ id, refresh: { client: this.id, version: this.#terms.version, ...this.#expiry(answer.expiresAt) } })
  }

  #expiry(expiresAt: number | undefined): { expires: true; ttl: number } | object {
    if (expiresAt === undefined) return {}
    const left = expiresAt - Date.now() / 1000
    this.expiresAt = performance.now() + left * 1000
    // With a ttl of 0 clients would refresh hundreds of times per second.
    return { expires: true, ttl: Math.max(1, Math.floor(left)) }
  }

  async #subscribe(id: number, request: SubscribeRequest, receiver: Receiver): Promise<void> {
    if (receiver.kind !== 'person' || !isRoomChannel(request.channel)) {
      return this.#subscription.begin(id, request, receiver)
    }
    const refused = this.#hub.openRooms.open(this, request.channel)
    if (refused) this.refuse(id, refused)
    else this.reply({ id, subscribe: {} })
  }

  /** Clients also unsubscribe from channels that they were refused. */
  async #unsubscribe(id: number, channel: string, receiver: Receiver): Promise<void> {
    if (channel === '') return this.close(CLOSES.badRequest)
    this.#hub.openRooms.close(this, channel)
    if (channel !== receiver.channel) return this.reply({ id, unsubscribe: {} })
    this.#subscription.end()
    this.reply({ id, unsubscribe: {} })
    await receiver.reached(this.progress)
  }

  /** The phase after an await, which may have changed meanwhile. */
  #phaseNow(): string {
    return this.#phase
  }
}
