import type { Log } from '../telemetry/log.ts'
import { canRecover, catchUp } from './catch-up.ts'
import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { CLOSES, ERRORS, LONGEST_CHANNEL } from './protocol.ts'
import type { SubscribeRequest, SubscribeResult } from './protocol.ts'
import type { Progress, Receiver, Stretch } from './receiver.ts'

/** What a client follows: from the position that it names through what it missed, and then as events happen. */
export class Subscription {
  readonly #connection: Connection
  readonly #hub: Hub
  readonly #log: Log
  /** Which of its subscribe commands holds: what was begun for another is dropped. */
  #current: object | undefined
  /** The position up to which the client was told. Nothing is for it while it is not subscribed or catching up. */
  #told = Infinity
  /** The same while it catches up; once it is live, it is where the hub is. */
  #caughtUpTo: number | null = null
  #live = false

  constructor(connection: Connection, hub: Hub, log: Log) {
    this.#connection = connection
    this.#hub = hub
    this.#log = log
  }

  get progress(): Progress {
    if (this.#current === undefined) return { phase: 'idle', told: this.#caughtUpTo }
    return this.#live ? { phase: 'live', told: this.#hub.top } : { phase: 'behind', told: this.#caughtUpTo }
  }

  get isLive(): boolean {
    return this.#told !== Infinity
  }

  /** Whether an event is still to be told; from then on it is not. One that catching up brought is not told again. */
  takes(seq: number): boolean {
    if (seq <= this.#told) return false
    this.#told = seq
    return true
  }

  async begin(id: number, request: SubscribeRequest, receiver: Receiver): Promise<void> {
    const connection = this.#connection
    if (request.channel === '') return connection.close(CLOSES.badRequest)
    if (Buffer.byteLength(request.channel) > LONGEST_CHANNEL) return connection.refuse(id, ERRORS.badRequest)
    if (request.channel !== receiver.channel) return connection.refuse(id, ERRORS.permissionDenied)
    if (request.type !== 0) return connection.refuse(id, ERRORS.notAvailable)
    if (request.hasTagsFilter) return connection.refuse(id, ERRORS.badRequest)
    if (this.#current) return connection.refuse(id, ERRORS.alreadySubscribed)
    if (request.recover && !connection.mayRecover(receiver)) return connection.refuse(id, ERRORS.tooManyRequests)

    const current = {}
    this.#current = current
    this.#live = false
    // From here on the hub notes on which channels the receiver comes and goes.
    this.#hub.expect(connection)
    let stretches: readonly Stretch[]
    let recovered: boolean
    try {
      stretches = await receiver.stretches()
      recovered = request.recover && (await canRecover(this.#hub, receiver, request))
    } catch (error) {
      // The client tries again, and must not hear then that it is subscribed already.
      if (this.#current === current) this.end()
      throw error
    }
    if (this.#current !== current) return
    if (request.recover && !recovered && (request.flag & 2) !== 0) {
      this.end()
      return connection.refuse(id, ERRORS.unrecoverablePosition)
    }

    const offset = recovered ? request.offset : this.#hub.top
    const outcome: Pick<SubscribeResult, 'was_recovering' | 'recovered'> = {
      ...(request.recover && { was_recovering: true }),
      ...(recovered && { recovered: true }),
    }
    const { epoch } = this.#hub
    connection.reply({ id, subscribe: { recoverable: true, positioned: true, epoch, offset, ...outcome } })
    this.#catchUp(current, receiver, offset, stretches).catch((error: unknown) => {
      this.#log.error({ err: error }, 'event recovery failed')
      connection.close(CLOSES.internal)
    })
  }

  /** Nothing more is told. Where the client was is remembered. */
  end(): void {
    this.#caughtUpTo = this.progress.told
    this.#current = undefined
    this.#told = Infinity
    this.#hub.pause(this.#connection)
  }

  #catchUp(current: object, receiver: Receiver, from: number, stretches: readonly Stretch[]): Promise<void> {
    const connection = this.#connection
    return catchUp(this.#hub, receiver, from, {
      isWanted: () => this.#current === current,
      send: ({ seq, body }) =>
        connection.sendCalmly(connection.codec.push(receiver.channel, { data: body, offset: seq })),
      passed: (position) => {
        if (this.#current === current) this.#caughtUpTo = position
      },
      reached: (position) => {
        this.#told = position
        this.#live = true
        this.#hub.goLive(connection, stretches)
        return receiver.reached(this.progress)
      },
      // Coming back, the client is told that it has missed something.
      tooLate: () => connection.close(CLOSES.insufficientState),
    })
  }
}
