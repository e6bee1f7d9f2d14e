import { LIMITS, messageAppended } from '@portico/contract'
import type { Pool } from 'pg'
import { batch, type Pending } from '../db/batch.ts'
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
  readonly #pool: Pool
  readonly #bus: Bus
  readonly #log: Log
  readonly #publishing: Throttle
  readonly #unpublished = new Set<string>()
  /** When this node last published something of a message; of those of the last interval. */
  readonly #publishedAt = new Map<string, number>()

  constructor({ pool, bus, log }: { readonly pool: Pool; readonly bus: Bus; readonly log: Log }) {
    this.#pool = pool
    this.#bus = bus
    this.#log = log
    this.append = batch(LARGEST_BATCH, (pending) => this.#appendAll(pending))
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
  async #appendAll(pending: readonly Pending<Piece, Appended | undefined>[]): Promise<void> {
    let waiting = pending
    while (waiting.length > 0) {
      const first = new Map<string, Pending<Piece, Appended | undefined>>()
      for (const one of waiting) if (!first.has(one.item.messageId)) first.set(one.item.messageId, one)
      const taken = [...first.values()]
      waiting = waiting.filter((one) => first.get(one.item.messageId) !== one)
      const pieces = taken.map(({ item }) => item)
      const { rows } = await this.#pool.query<Appended & { readonly messageId: string }>({
        ...APPEND,
        values: [
          pieces.map(({ messageId }) => messageId),
          pieces.map(({ roomId }) => roomId),
          pieces.map(({ botId }) => botId),
          pieces.map(({ position }) => position),
          pieces.map(({ text }) => text),
          LIMITS.messageText,
        ],
      })
      const found = new Map(rows.map((row) => [row.messageId, row]))
      for (const { item, resolve } of taken) resolve(found.get(item.messageId))
      for (const { messageId } of rows) this.#unpublished.add(messageId)
      this.#publishing.trigger()
    }
  }

  async #publish(): Promise<void> {
    const ids = this.#takeDue()
    if (ids.length === 0) return
    const { rows } = await this.#pool.query<Unpublished>({ ...TAKE_UNPUBLISHED, values: [ids, PUBLISH_EVERY] })
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
    const { rows } = await this.#pool.query<{ id: string }>(
      'SELECT message_id AS id FROM message_streams WHERE message_id = ANY ($1::uuid[]) AND published < length',
      [others],
    )
    for (const { id } of rows) this.#unpublished.add(id)
    if (rows.length > 0) this.#publishing.trigger()
  }
}
