import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Log } from '../log.ts'
import { canRecover, catchUp } from './catch-up.ts'
import type { Hub } from './hub.ts'
import { CLOSES, ERRORS, isPong, refusalOf } from './protocol.ts'
import type { Close, Codec, Command, ConnectRequest, ErrorReply, Frame } from './protocol.ts'
import type { Reply, SubscribeRequest, SubscribeResult } from './protocol.ts'
import type { Admission, Progress, Receiver, Stretch } from './receiver.ts'
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
  readonly #hub: Hub
  readonly #terms: Terms
  readonly #log: Log
  #phase: 'new' | 'connecting' | 'open' | 'over' = 'new'
  #subscription: object | undefined
  /** The position up to which the client was told. Nothing is for it while it is not subscribed or catching up. */
  #told = Infinity
  /** The same while it catches up; once it is live, it is where the hub is. */
  #caughtUpTo: number | null = null
  #live = false
  /** Where it was when it ended. */
  #ended: Progress | undefined
  /** Frames of events that leave together with the others of their batch. */
  #held: Buffer[] = []
  #work: Promise<void> = Promise.resolve()
  #queued = 0

  constructor(socket: WebSocket, stream: Duplex, codec: Codec, hub: Hub, terms: Terms, log: Log) {
    this.#wire = new Wire(socket, stream)
    this.codec = codec
    this.#hub = hub
    this.#terms = terms
    this.#log = log
    socket.on('message', (data: Buffer) => this.#receive(data))
    // An oversize frame arrives as an error, which unheard would end the program. The socket closes by itself.
    socket.on('error', (error) => log.debug({ err: error }, 'a socket broke'))
    socket.on('close', () => this.#closed())
  }

  get isConnected(): boolean {
    return this.#phase === 'open'
  }

  get progress(): Progress {
    if (this.#ended) return this.#ended
    if (this.#subscription === undefined) return { phase: 'idle', told: this.#caughtUpTo }
    return this.#live ? { phase: 'live', told: this.#hub.top } : { phase: 'behind', told: this.#caughtUpTo }
  }

  get isNew(): boolean {
    return this.#phase === 'new'
  }

  send(frame: Frame): void {
    this.#writeHeld()
    if (!this.#wire.send(frame, this.codec.binary)) this.close(CLOSES.slow)
  }

  /**
   * An event as it happens, which goes out with `release`. One that was already read out of the log for this client is
   * not told again.
   */
  tell(seq: number, frame: Buffer): void {
    if (seq <= this.#told) return
    this.#told = seq
    this.#held.push(frame)
  }

  /** Sends what was told, as one. */
  release(join: (frames: readonly Buffer[]) => Buffer): void {
    if (this.#held.length === 0) return
    const frames = this.#held
    this.#held = []
    if (!this.#wire.write(join(frames))) this.close(CLOSES.slow)
  }

  /** Something that is not kept: only who is listening now hears it. */
  tellFleeting(frame: Buffer): void {
    if (this.#told === Infinity) return
    this.#writeHeld()
    if (!this.#wire.write(frame)) this.close(CLOSES.slow)
  }

  ping(): void {
    this.send(this.codec.ping)
  }

  close(close: Close, pause = 0): void {
    if (this.#phase === 'over') return
    this.#writeHeld()
    this.#over()
    this.#wire.close(close, pause)
  }

  /** Makes way for a newer connection: nothing more is sent, and the close comes after a pause. */
  displace(): void {
    this.close(CLOSES.displaced, PAUSE_BEFORE_DISPLACING)
  }

  /** Closes when it may no longer be connected. */
  async review(): Promise<void> {
    const ending = await this.receiver?.endedBy()
    if (ending === CLOSES.displaced) this.displace()
    else if (ending) this.close(ending)
  }

  /** Before anything else is sent: what was told comes first. */
  #writeHeld(): void {
    if (this.#held.length === 0) return
    this.#wire.write(Buffer.concat(this.#held))
    this.#held = []
  }

  #over(): void {
    this.#ended = { phase: 'idle', told: this.progress.told }
    this.#phase = 'over'
    this.#subscription = undefined
    this.#told = Infinity
    this.#hub.forget(this)
  }

  #closed(): void {
    if (this.#phase !== 'over') this.#over()
    this.receiver
      ?.left(this.progress)
      .catch((error: unknown) => this.#log.error({ err: error }, 'noting that a client left failed'))
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
      if (isPong(command)) this.pongsMissed = 0
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
        this.#log.error({ err: error }, 'a command of a socket failed')
        this.#refuse(command.id, ERRORS.internal)
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
    if (unsubscribe) return this.#unsubscribe(id)
    if (refresh) return this.#refresh(id, refresh.token, this.receiver)
    if (ping) return this.#reply({ id, ping: {} })
    if (other === 'send') return
    this.#refuse(id, refusalOf(other))
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
    this.#reply({ id, connect: { client: this.id, version, ...alive, ...this.#expiry(receiver.expiresAt) } })
    // What ended it between its admission and here was told when nobody could know that it concerns this connection.
    await this.review()
  }

  /** Refused, it may say nothing more. */
  #refuseConnecting(id: number, error: ErrorReply): void {
    this.#refuse(id, error)
    this.close(CLOSES.expired, PAUSE_AFTER_REFUSING)
  }

  async #refresh(id: number, token: string, receiver: Receiver): Promise<void> {
    const answer = await receiver.refresh(token)
    if ('code' in answer) return this.close(answer)
    this.#reply({ id, refresh: { client: this.id, version: this.#terms.version, ...this.#expiry(answer.expiresAt) } })
  }

  #expiry(expiresAt: number | undefined): { expires: true; ttl: number } | object {
    if (expiresAt === undefined) return {}
    const left = expiresAt - Date.now() / 1000
    this.expiresAt = performance.now() + left * 1000
    // A ttl of 0 would be refreshed hundreds of times a second.
    return { expires: true, ttl: Math.max(1, Math.floor(left)) }
  }

  async #subscribe(id: number, request: SubscribeRequest, receiver: Receiver): Promise<void> {
    if (request.channel === '') return this.close(CLOSES.badRequest)
    if (request.channel !== receiver.channel) return this.#refuse(id, ERRORS.permissionDenied)
    if (request.type !== 0) return this.#refuse(id, ERRORS.notAvailable)
    if (request.hasTagsFilter) return this.#refuse(id, ERRORS.badRequest)
    if (this.#subscription) return this.#refuse(id, ERRORS.alreadySubscribed)

    const subscription = {}
    this.#subscription = subscription
    this.#live = false
    // From here on the hub notes on which channels the receiver comes and goes.
    this.#hub.expect(this)
    let stretches: readonly Stretch[]
    let recovered: boolean
    try {
      stretches = await receiver.stretches()
      recovered = request.recover && (await canRecover(this.#hub, receiver, request))
    } catch (error) {
      // The client tries again, and must not hear then that it is subscribed already.
      if (this.#subscription === subscription) this.#unsubscribeQuietly()
      throw error
    }
    if (this.#subscription !== subscription) return
    if (request.recover && !recovered && (request.flag & 2) !== 0) {
      this.#unsubscribeQuietly()
      return this.#refuse(id, ERRORS.unrecoverablePosition)
    }

    const offset = recovered ? request.offset : this.#hub.top
    const outcome: Pick<SubscribeResult, 'was_recovering' | 'recovered'> = {
      ...(request.recover && { was_recovering: true }),
      ...(recovered && { recovered: true }),
    }
    this.#reply({ id, subscribe: { recoverable: true, positioned: true, epoch: this.#hub.epoch, offset, ...outcome } })
    this.#catchUp(subscription, receiver, offset, stretches).catch((error: unknown) => {
      this.#log.error({ err: error }, 'catching up failed')
      this.close(CLOSES.internal)
    })
  }

  #catchUp(subscription: object, receiver: Receiver, from: number, stretches: readonly Stretch[]): Promise<void> {
    return catchUp(this.#hub, receiver, from, {
      isWanted: () => this.#subscription === subscription,
      send: ({ seq, body }) => {
        this.send(this.codec.push(receiver.channel, { data: body, offset: seq }))
        return this.#wire.calm()
      },
      passed: (position) => {
        this.#caughtUpTo = position
      },
      reached: (position) => {
        this.#told = position
        this.#live = true
        this.#hub.goLive(this, stretches)
        return receiver.reached(this.progress)
      },
      // Coming back, the client is told that it has missed something.
      tooLate: () => this.close(CLOSES.insufficientState),
    })
  }

  async #unsubscribe(id: number): Promise<void> {
    this.#unsubscribeQuietly()
    this.#reply({ id, unsubscribe: {} })
    await this.receiver?.reached(this.progress)
  }

  #unsubscribeQuietly(): void {
    this.#caughtUpTo = this.progress.told
    this.#subscription = undefined
    this.#told = Infinity
    this.#hub.pause(this)
  }

  #reply(reply: Reply): void {
    this.send(this.codec.encode(reply))
  }

  #refuse(id: number, error: ErrorReply): void {
    this.#reply({ id, error })
  }

  /** The phase after an await, when others may have changed it. */
  #phaseNow(): string {
    return this.#phase
  }
}
