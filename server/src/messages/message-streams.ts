import { LIMITS, messageAppended } from '@portico/contract'
import { DatabaseError } from 'pg'
import { batch, type Pending } from '../db/batch.ts'
import { currentDeadline, DeadlinePassed, type Deadline } from '../db/deadline.ts'
import type { Database } from '../db/open-database.ts'
import { commitFailure } from '../db/outcome-unknown.ts'
import { takeClient } from '../db/take-client.ts'
import { isPastDeadline } from '../db/violations.ts'
import type { Bus } from '../events/bus.ts'
import { publishToRoom } from '../events/ephemeral.ts'
import { Throttle } from '../events/throttle.ts'
import { RedisUnavailable } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import { APPEND, TAKE_UNPUBLISHED } from './message-streams-sql.ts'

/** In milliseconds: how often open portals are sent what was appended to a message. */
const PUBLISH_EVERY = 150
/** How often any of them are: those of all messages at once would delay what else there is to do. */
const GATHER = 25
const LARGEST_BATCH = 500

declare module '../operations/services.ts' {
  interface Services {
    readonly messageStreams: MessageStreams
  }
}

/** A piece of text for a message that a bot is writing. */
export interface Piece {
  readonly messageId: string
  readonly roomId: string
  readonly botId: string
  readonly position: number
  readonly text: string
}

export interface Appended {
  /** Whether the message has the position, and no other text there. */
  readonly fits: boolean
  /** The length with the piece. It was appended if that is within the limit. */
  readonly after: number
}

interface AppendedRow extends Appended {
  readonly messageId: string
}

interface TimedPiece extends Piece {
  readonly deadline: Deadline
}

type PendingPiece = Pending<TimedPiece, Appended | undefined>

interface MessageStreamsOptions {
  readonly database: Pick<Database, 'pool' | 'clock'>
  readonly bus: Bus
  readonly log: Log
}

interface Unpublished {
  readonly messageId: string
  readonly channelId: string
  readonly roomId: string
  readonly botId: string
  readonly position: number
  readonly text: string
}

/**
 * The messages that bots are writing. Their text is in the database alone, so that any node can append to it, and none of it
 * is lost with a process. What arrives while a statement runs is appended by the next one; open portals get what was appended
 * in an interval at once, whichever nodes it came to.
 */
export class MessageStreams {
  /** Undefined: no such message is being written. */
  readonly append: (piece: Piece) => Promise<Appended | undefined>
  readonly #database: Pick<Database, 'pool' | 'clock'>
  readonly #bus: Bus
  readonly #log: Log
  readonly #publishing: Throttle
  readonly #unpublished = new Set<string>()
  /** When this node last published something of a message; of those of the last interval. */
  readonly #publishedAt = new Map<string, number>()

  constructor({ database, bus, log }: MessageStreamsOptions) {
    this.#database = database
    this.#bus = bus
    this.#log = log
    const append = batch<TimedPiece, Appended | undefined>(LARGEST_BATCH, (pending) => this.#appendAll(pending))
    this.append = (piece) => append({ ...piece, deadline: currentDeadline() })
    this.#publishing = new Throttle(
      GATHER,
      () => this.#publish(),
      (error) => log.warn({ err: error }, 'sending appended text to open portals failed'),
    )
  }

  async stop(): Promise<void> {
    await this.#publishing.stop()
  }

  /** A statement appends to a message once: further pieces of the same message follow in the next one. */
  async #appendAll(pending: readonly PendingPiece[]): Promise<void> {
    let waiting = pending
    while (waiting.length > 0) {
      const first = new Map<string, PendingPiece>()
      for (const one of waiting) if (!first.has(one.item.messageId)) first.set(one.item.messageId, one)
      waiting = waiting.filter((one) => first.get(one.item.messageId) !== one)
      // One that has waited too long would make the others fail.
      const taken = [...first.values()].filter(({ item, reject }) => {
        const isInTime = this.#database.clock.mayCommit(item.deadline)
        if (!isInTime) reject(new DeadlinePassed())
        return isInTime
      })
      const rows = await this.#commit(taken.map(({ item }) => item))
      const found = new Map(rows.map((row) => [row.messageId, row]))
      for (const { item, resolve } of taken) resolve(found.get(item.messageId))
      for (const { messageId } of rows) this.#unpublished.add(messageId)
      this.#publishing.trigger()
    }
  }

  async #commit(pieces: readonly TimedPiece[]): Promise<readonly AppendedRow[]> {
    const [earliest] = pieces.map(({ deadline }) => deadline).toSorted((a, b) => a.left - b.left)
    if (!earliest) return []
    const { clock } = this.#database
    try {
      return await this.#commitBefore(earliest, pieces)
    } catch (error) {
      if (!isPastDeadline(error) || !clock.mayCommit(earliest)) throw error
      // There is time left, but not by the database's clock: one of the clocks was set.
      await clock.measure()
      return this.#commitBefore(earliest, pieces)
    }
  }

  /** One statement is a transaction in itself. */
  async #commitBefore(deadline: Deadline, pieces: readonly TimedPiece[]): Promise<readonly AppendedRow[]> {
    const { pool, clock } = this.#database
    const { client, release } = await takeClient(pool, deadline)
    const sent = client.query<AppendedRow>({
      ...APPEND,
      values: [
        pieces.map(({ messageId }) => messageId),
        pieces.map(({ roomId }) => roomId),
        pieces.map(({ botId }) => botId),
        pieces.map(({ position }) => position),
        pieces.map(({ text }) => text),
        LIMITS.messageText,
        clock.lastCommit(deadline),
      ],
    })
    const [outcome] = await Promise.allSettled([sent])
    if (outcome.status === 'fulfilled') {
      release()
      return outcome.value.rows
    }
    // What the database refuses is undone, and the connection is as good as before.
    release(!(outcome.reason instanceof DatabaseError))
    throw commitFailure([outcome], deadline)
  }

  async #publish(): Promise<void> {
    const ids = this.#takeDue()
    if (ids.length === 0) return
    const { rows } = await this.#database.pool.query<Unpublished>({ ...TAKE_UNPUBLISHED, values: [ids, PUBLISH_EVERY] })
    await this.#keep(ids, rows)
    for (const { channelId, roomId, botId, messageId, position, text } of rows) {
      const data = { roomId, messageId, position, text }
      try {
        await publishToRoom(this.#bus, { channelId, roomId }, botId, messageAppended, data)
      } catch (error) {
        // Portals that miss it read the text when the next part arrives, or when it is complete.
        if (!(error instanceof RedisUnavailable)) throw error
        this.#log.debug({ err: error }, 'appended text was not sent to open portals')
      }
    }
  }

  /** Those of which nothing was published in this interval. The others are looked at again. */
  #takeDue(): string[] {
    const now = performance.now()
    for (const [id, at] of this.#publishedAt) if (now - at >= PUBLISH_EVERY) this.#publishedAt.delete(id)
    const due = [...this.#unpublished].filter((id) => !this.#publishedAt.has(id))
    for (const id of due) {
      this.#unpublished.delete(id)
      this.#publishedAt.set(id, now)
    }
    if (this.#unpublished.size > 0) this.#publishing.trigger()
    return due
  }

  /** What another node published just now is not left to that node: it may have nothing more to publish. */
  async #keep(ids: readonly string[], taken: readonly Unpublished[]): Promise<void> {
    const published = new Set(taken.map(({ messageId }) => messageId))
    const others = ids.filter((id) => !published.has(id))
    if (others.length === 0) return
    const { rows } = await this.#database.pool.query<{ id: string }>(
      'SELECT message_id AS id FROM message_streams WHERE message_id = ANY ($1::uuid[]) AND published < length',
      [others],
    )
    for (const { id } of rows) this.#unpublished.add(id)
    if (rows.length > 0) this.#publishing.trigger()
  }
}
