import type { Log } from '../telemetry/log.ts'
import { canRecover, catchUp } from './catch-up.ts'
import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { CLOSES, ERRORS } from '../events/stream-codes.ts'
import { LONGEST_CHANNEL } from './protocol.ts'
import type { SubscribeRequest, SubscribeResult } from './protocol.ts'
import type { Progress, Receiver, MembershipRange } from './receiver.ts'

/** A subscription: recovers missed events from the client's position, then delivers live. */
export class Subscription {
  readonly #connection: Connection
  readonly #hub: Hub
  readonly #log: Log
  /** The current subscribe command: work for an earlier one is dropped. */
  #current: object | undefined
  /** The position up to which the client has events. Live events are skipped while it is unsubscribed or recovering. */
  #deliveredSeq = Infinity
  /** The same during recovery; once live, it is the hub's position. */
  #caughtUpTo: number | null = null
  #live = false

  constructor(connection: Connection, hub: Hub, log: Log) {
    this.#connection = connection
    this.#hub = hub
    this.#log = log
  }

  get progress(): Progress {
    if (this.#current === undefined) return { phase: 'idle', deliveredSeq: this.#caughtUpTo }
    return this.#live
      ? { phase: 'live', deliveredSeq: this.#hub.top }
      : { phase: 'behind', deliveredSeq: this.#caughtUpTo }
  }

  get isLive(): boolean {
    return this.#deliveredSeq !== Infinity
  }

  /** Whether to send an event, which then counts as sent. Skips events that recovery has sent. */
  takes(seq: number): boolean {
    if (seq <= this.#deliveredSeq) return false
    this.#deliveredSeq = seq
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
    // From here on the hub records membership changes of the receiver.
    this.#hub.expect(connection)
    let ranges: readonly MembershipRange[]
    let recovered: boolean
    try {
      ranges = await receiver.memberships()
      if (this.#current !== current) return
      await this.#hub.follow(connection, ranges)
      recovered = request.recover && (await canRecover(this.#hub, receiver, request))
    } catch (error) {
      // The client retries, and must not get the error that it is already subscribed.
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
    this.#catchUp(current, receiver, offset, ranges).catch((error: unknown) => {
      this.#log.error({ err: error }, 'event recovery failed')
      connection.close(CLOSES.internal)
    })
  }

  /** Ends the subscription and keeps its position. */
  end(): void {
    this.#caughtUpTo = this.progress.deliveredSeq
    this.#current = undefined
    this.#deliveredSeq = Infinity
    this.#hub.pause(this.#connection)
  }

  #catchUp(current: object, receiver: Receiver, from: number, ranges: readonly MembershipRange[]): Promise<void> {
    const connection = this.#connection
    return catchUp(this.#hub, receiver, from, {
      isWanted: () => this.#current === current,
      send: ({ seq, body }) =>
        connection.sendCalmly(connection.codec.push(receiver.channel, { data: body, offset: seq })),
      passed: (position) => {
        if (this.#current === current) this.#caughtUpTo = position
      },
      reached: (position) => {
        this.#deliveredSeq = position
        this.#live = true
        this.#hub.goLive(connection, ranges)
        return receiver.reached(this.progress)
      },
      // When it reconnects, the client learns that it missed events.
      tooLate: () => connection.close(CLOSES.insufficientState),
    })
  }
}
