import type { Kysely } from 'kysely'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, Pool, PoolClient } from 'pg'
import { batch } from './batch.ts'
import { currentDeadline, Deadline } from './deadline.ts'
import type { Log } from './log.ts'
import { openPool, type OpenOptions } from './open-database.ts'
import { preparedClient } from './prepared.ts'
import type { Tables } from './tables.ts'
import { takeClient } from './take-client.ts'

/** In milliseconds: how long a read waits for a connection on which the replica has caught up. */
const CATCH_UP_WITHIN = 100
/** In milliseconds: a check may have to connect first. */
const CHECK_WITHIN = 1000
/** In milliseconds: how long a read on the replica may take altogether. */
const ANSWER_WITHIN = 2000
/** In milliseconds. */
const CHECK_INTERVAL = 5000
/** In milliseconds: the longest pause between two questions about the replica's position. */
const LONGEST_PAUSE = 16

/** Up to where the primary had written, and the mark that only its replicas have. */
export interface Position {
  readonly lsn: string
  readonly mark: string
}

interface Options extends Omit<OpenOptions, 'connection'> {
  readonly url: string
  readonly log: Log
  /** The pool of the primary. */
  readonly primary: Pool
}

/**
 * A streaming replica of the database, for reads that are expensive. A read sees there at least everything that was committed
 * when it began: it asks the primary for its position and waits until the replica has got there. When that takes too long, or the
 * replica fails, the primary answers; then the replica isn't used until a check succeeds.
 */
export class Replica {
  readonly #pool: Pool
  readonly #closePool: () => Promise<void>
  readonly #primary: Pool
  readonly #log: Log
  readonly #position: () => Promise<Position | undefined>
  readonly #reads = { replica: 0, primary: 0 }
  /** What the log has said last. */
  #isReady = true
  /** False from a failure on, until the next check has succeeded. */
  #isUsed = false
  /** When the replica was started that is known to follow the primary. */
  #known: string | undefined
  #checking: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  private constructor({ primary, ...options }: Options) {
    const { pool, close } = openPool({ ...options, connectTimeout: CHECK_WITHIN, statementTimeout: ANSWER_WITHIN })
    this.#pool = pool
    this.#closePool = close
    this.#primary = primary
    this.#log = options.log
    const ask = batch<undefined, Position | undefined>(Infinity, async (pending) => {
      const position = await readPosition(primary)
      for (const { resolve } of pending) resolve(position)
    })
    this.#position = () => ask(undefined)
  }

  /** A replica that can't be reached now is used once it is back. */
  static async open(options: Options): Promise<Replica> {
    const replica = new Replica(options)
    await replica.#check()
    replica.#timer = setInterval(() => void replica.#check(), CHECK_INTERVAL).unref()
    return replica
  }

  /** Whether the last check succeeded. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** How many reads each of the two has answered. */
  get reads(): Readonly<Record<'replica' | 'primary', number>> {
    return this.#reads
  }

  /**
   * Runs read-only statements on the replica; if that fails, starts over on the primary. The replica may be ahead of what others
   * can see: take from it what to look for, and read what you show from the primary.
   */
  async read<T>(work: (db: Kysely<Tables>) => Promise<T>, primary: Kysely<Tables>): Promise<T> {
    const answered = this.#isUsed ? await this.#attempt(work) : undefined
    this.#reads[answered ? 'replica' : 'primary'] += 1
    return answered ? answered.result : work(primary)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#checking
    await this.#closePool()
  }

  async #attempt<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<{ readonly result: T } | undefined> {
    const position = await this.#position()
    // Half of the time is left to the primary.
    const deadline = new Deadline(Math.min(ANSWER_WITHIN, currentDeadline().left / 2))
    try {
      return await this.#onReplica(position, { within: CATCH_UP_WITHIN, deadline }, async (client, startedAt) => {
        if (startedAt !== this.#known) throw new Error('it was restarted')
        return { result: await work(preparedClient(Promise.resolve(client))) }
      })
    } catch {
      this.#isUsed = false
      void this.#check()
      return undefined
    }
  }

  /** Works on a connection on which everything up to the position is visible, which must be so within some milliseconds. */
  async #onReplica<T>(
    position: Position | undefined,
    { within, deadline }: { readonly within: number; readonly deadline: Deadline },
    work: (client: PoolClient, startedAt: string) => Promise<T>,
  ): Promise<T> {
    if (!position) throw new Error('another server has become the primary')
    const taking = takeClient(this.#pool, deadline)
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error(`it doesn’t answer within ${within} ms`)), within)
    try {
      const caughtUp = taking.then(({ client }) => catchUp(client, position))
      const startedAt = await Promise.race([caughtUp, late.promise])
      const { client, release } = await taking
      const result = await work(client, startedAt)
      release()
      return result
    } catch (error) {
      taking.then(
        ({ release }) => release(true),
        () => undefined,
      )
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #check(): Promise<void> {
    return (this.#checking ??= this.#examine().finally(() => (this.#checking = undefined)))
  }

  async #examine(): Promise<void> {
    let position: Position
    try {
      position = (await this.#position()) ?? (await writeMark(this.#primary))
    } catch {
      // The primary is away, which says nothing about the replica.
      return
    }
    try {
      const limits = { within: CHECK_WITHIN, deadline: new Deadline(CHECK_WITHIN) }
      await this.#onReplica(position, limits, async (client, startedAt) => {
        if (startedAt === this.#known) return
        // It may have been a primary itself before it was started. Then it has the former mark, and never gets a new one.
        await catchUp(client, await writeMark(this.#primary))
        this.#known = startedAt
      })
      this.#note(true)
    } catch (error) {
      this.#note(false, error)
    }
  }

  #note(isReady: boolean, error?: unknown): void {
    this.#isUsed = isReady
    if (isReady === this.#isReady) return
    this.#isReady = isReady
    if (isReady) this.#log.info('the database replica is available')
    else this.#log.warn({ err: error }, 'the database replica is not available; continuing without it')
  }
}

/** Of the primary: promoting a server begins another one. */
const TIMELINE = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)'

/** A commit is acknowledged and visible after it was flushed, or before that if the operator wants it so. */
const POSITION = {
  name: 'replica_position',
  text: `SELECT CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()
      ELSE pg_current_wal_flush_lsn() END AS lsn, mark
    FROM replica_mark WHERE timeline = ${TIMELINE}`,
}

/** Behind everything that anyone can have seen or written. Undefined: the mark is missing, or of an earlier primary. */
export async function readPosition(primary: Pool): Promise<Position | undefined> {
  const { rows } = await primary.query<Position>(POSITION)
  return rows[0]
}

async function writeMark(primary: Pool): Promise<Position> {
  await primary.query(
    `INSERT INTO replica_mark (timeline, mark) VALUES (${TIMELINE}, gen_random_uuid())
     ON CONFLICT (only_row) DO UPDATE SET timeline = excluded.timeline, mark = excluded.mark`,
  )
  const position = await readPosition(primary)
  if (!position) throw new Error('another server has become the primary')
  return position
}

interface State {
  readonly isReplica: boolean
  readonly hasMark: boolean
  readonly isThere: boolean
  readonly startedAt: string
}

/** What has been replayed when this is answered is visible to the next statement. */
const STATE = {
  name: 'replica_state',
  text: `SELECT pg_is_in_recovery() AS "isReplica", EXISTS (SELECT FROM replica_mark WHERE mark = $1) AS "hasMark",
    coalesce(pg_last_wal_replay_lsn() >= $2::pg_lsn, false) AS "isThere", pg_postmaster_start_time()::text AS "startedAt"`,
}

/**
 * Waits until the next statement on this connection sees everything up to the position, but not for long. Returns when the
 * server was started.
 */
export async function catchUp(client: ClientBase | Pool, { mark, lsn }: Position): Promise<string> {
  const deadline = new Deadline(CATCH_UP_WITHIN)
  for (let pause = 1; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    const { rows } = await client.query<State>({ ...STATE, values: [mark, lsn] })
    const { isReplica = false, hasMark = false, isThere = false, startedAt = '' } = rows[0] ?? {}
    if (!isReplica) throw new Error('it isn’t a replica, or no longer one')
    if (isThere && hasMark) return startedAt
    if (isThere) throw new Error('it follows another primary')
    if (deadline.left <= pause) throw new Error('it lags behind the primary')
    await sleep(pause)
  }
}
