import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { RATE_LIMITS } from '@portico/contract'
import type { Log } from '../telemetry/log.ts'
import type { RateLimiter } from '../quotas/rate-limiter.ts'
import type { Hub } from './hub.ts'
import { CLOSES, ERRORS, isPong, lacksId, refusalOf } from './protocol.ts'
import type { Close, Codec, Command, ConnectRequest, ErrorReply, Frame, Reply } from './protocol.ts'
import type { Admission, Progress, Receiver } from './receiver.ts'
import { Subscription } from './subscription.ts'
import { Wire } from './wire.ts'

const MOST_QUEUED = 100
/** A client that lost the code of a close comes back for good: some need a pause between data and close. */
const PAUSE_BEFORE_DISPLACING = 200
/** How long a client that was refused may take to close by itself, so that it sees why. */
const PAUSE_AFTER_REFUSING = 2500

export interface Terms {
  readonly version: string
  readonly pingSeconds: number
  readonly admit: (request: ConnectRequest) => Promise<Admission>
  readonly limiter: RateLimiter
}

/** One socket: commands in, replies and events out, in the order that the protocol wants. */
export class Connection {
  readonly id = randomUUID()
  readonly codec: Codec
  receiver: Receiver | undefined
  /** When it was opened, pinged and heard last, in milliseconds of a clock that never jumps. */
  readonly openedAt = performance.now()
  pingDue = Infinity
  pongsMissed = 0
  /** When its token ends, likewise; with it the client's duty to have sent another one. */
  expiresAt = Infinity
  readonly #wire: Wire
  readonly #subscription: Subscription
  readonly #hub: Hub
  readonly #terms: Terms
  readonly #log: Log
  #phase: 'new' | 'connecting' | 'open' | 'over' = 'new'
  #work: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(socket: WebSocket, stream: Duplex, codec: Codec, hub: Hub, terms: Terms, log: Log) {
    this.#wire = new Wire(socket, stream)
    this.#subscription = new Subscription(this, hub, log)
    this.codec = codec
    this.#hub = hub
    this.#terms = terms
    this.#log = log
    socket.on('message', (data: Buffer) => this.#receive(data))
    // An oversize frame arrives as an error, which unheard would end the program. The socket closes by itself.
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
   * An event as it happens, which goes out with `release`. One that was already read out of the log for this client is
   * not told again.
   */
  tell(seq: number, frame: Buffer): void {
    if (this.#subscription.takes(seq)) this.#wire.hold(frame)
  }

  /** Sends what was told, as one. */
  release(join: (frames: readonly Buffer[]) => Buffer): void {
    if (!this.#wire.release(join)) this.close(CLOSES.slow)
  }

  /** Something that is not kept: only who is listening now hears it. */
  tellFleeting(frame: Buffer): void {
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

  /** Makes way for a newer connection: nothing more is sent, and the close comes after a pause. */
  displace(): void {
    this.close(CLOSES.displaced, PAUSE_BEFORE_DISPLACING)
  }

  /** Reading what was missed is work: how often an account may ask for it is limited, over all its connections. */
  mayRecover({ accountId }: Receiver): boolean {
    return this.#terms.limiter.take(`recoveries ${accountId}`, RATE_LIMITS.recoveries) === 0
  }

  /** Closes when it may no longer be connected. */
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
      if (this.#terms.limiter.take(`commands ${this.id}`, RATE_LIMITS.socketCommands) > 0)
        return this.close(CLOSES.tooManyCommands)
      if (isPong(command)) this.pongsMissed = 0
      else if (lacksId(command)) return this.close(CLOSES.badRequest)
      else this.#enqueue(command)
    }
  }

  /** Commands come pipelined and are carried out one after another: a subscribe waits for the connect before it. */
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
    if (subscribe) return this.#subscription.begin(id, subscribe, this.receiver)
    if (unsubscribe) return this.#unsubscribe(id, unsubscribe.channel, this.receiver)
    if (refresh) return this.#refresh(id, refresh.token, this.receiver)
    if (ping) return this.reply({ id, ping: {} })
    // Nothing answers a `send`: closing is the only way to say that it leads nowhere.
    if (other === 'send') return this.close(CLOSES.notAvailable)
    this.refuse(id, refusalOf(other))
  }

  async #connect(id: number, request: ConnectRequest): Promise<void> {
    this.#phase = 'connecting'
    const admission = await this.#terms.admit(request)
    if (this.#phaseNow() === 'over') {
      // The client left while it was let in: its place must not look taken.
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
    const alive = { ping: pingSeconds * 2, pong: true } as const
    this.reply({ id, connect: { client: this.id, version, ...alive, ...this.#expiry(receiver.expiresAt) } })
    // What ended it between its admission and here was told when nobody could know that it concerns this connection.
    await this.review()
  }

  /** Refused, it may say nothing more. */
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
    // A ttl of 0 would be refreshed hundreds of times a second.
    return { expires: true, ttl: Math.max(1, Math.floor(left)) }
  }

  /** Clients unsubscribe from whatever they once asked for, also from channels that they were refused. */
  async #unsubscribe(id: number, channel: string, receiver: Receiver): Promise<void> {
    if (channel === '') return this.close(CLOSES.badRequest)
    if (channel !== receiver.channel) return this.reply({ id, unsubscribe: {} })
    this.#subscription.end()
    this.reply({ id, unsubscribe: {} })
    await receiver.reached(this.progress)
  }

  /** The phase after an await, when others may have changed it. */
  #phaseNow(): string {
    return this.#phase
  }
}
