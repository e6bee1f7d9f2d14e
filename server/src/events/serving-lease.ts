import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'

/** Held by the process that serves the database, on the connection that it listens on. */
export const SERVING_LOCK = 0x706f7261
/** Taken by the trigger `announce_access_change` for every change to a cached table, and here while the lease changes hands. */
const CHANGES_LOCK = 0x706f7266
/** Entered as the holder by all nodes of a cluster, which hold the lease together. */
export const CLUSTER = '00000000-0000-0000-0000-000000000001'
/** In milliseconds: how long a starting process waits for its predecessor to stop. */
const LOCK_WAIT = 10_000
const LOCK_TIMEOUT = '55P03'

/** In milliseconds: how often the lock is verified. */
const VERIFY_INTERVAL = 1000
/** After this many intervals without an answer, the connection is closed. */
const MAX_UNANSWERED = 10
/** In milliseconds: how long a verification is valid, counted from when it was sent. */
const VALIDITY = 3000
/** In milliseconds: more than the clocks of two machines can drift apart in that time. */
const CLOCK_MARGIN = 500
const EXPIRY = VALIDITY + CLOCK_MARGIN

export class ServedElsewhere extends StartError {
  constructor() {
    super(
      'Another Portico process serves this database.',
      'Stop that one first, or start all of them with the same REDIS_URL: see docs/scaling.md.',
    )
  }
}

interface Options {
  /** Identifies this process in the database, or `CLUSTER`. */
  readonly id: string
  readonly log: Log
  /** No other process can reach the database, so a predecessor that did not sign off is dead. */
  readonly isExclusive: boolean
}

interface Row {
  readonly holder: string
  readonly signedOff: boolean
  /** Milliseconds since the holder was entered. */
  readonly age: number
}

/**
 * The right to serve a database, held by one process at a time, or by the nodes of one cluster together. It is an advisory
 * lock on the connection that the process listens on, and counts as held only for a short time after the database has
 * confirmed it.
 *
 * A process that cannot reach the database stops serving `VALIDITY` after it sent its last successful verification. The
 * database can release the lock only after that moment. So a successor that waits for `VALIDITY` after it got the lock
 * knows that its predecessor has stopped serving, even if the network failed. It need not wait if that one signed off.
 */
export class ServingLease {
  readonly #id: string
  readonly #log: Log
  readonly #isExclusive: boolean
  #client: Client | undefined
  #backend: number | undefined
  /** When the last successful verification was sent. A monotonic clock never jumps; a wall clock runs while the machine sleeps. */
  #verified: { readonly monotonic: number; readonly wall: number } | undefined
  #verifying: Promise<void> | undefined
  #unanswered = 0
  #timer: NodeJS.Timeout | undefined
  #hasServed = false
  #granted = Promise.withResolvers<void>()

  constructor({ id, log, isExclusive }: Options) {
    this.#id = id
    this.#log = log
    this.#isExclusive = isExclusive
  }

  /** True: no other process serves this database now, except nodes of the same cluster. */
  get isHeld(): boolean {
    if (this.#verified === undefined) return false
    const { monotonic, wall } = this.#verified
    return performance.now() - monotonic < VALIDITY && Math.abs(Date.now() - wall) < VALIDITY
  }

  /** Waits up to `timeout` milliseconds for the lease to be held again, and returns whether it is. */
  async whenHeld(timeout: number): Promise<boolean> {
    const signal = AbortSignal.timeout(timeout)
    while (!this.isHeld && !signal.aborted) {
      void this.#verify()
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([this.#granted.promise, aborted])
    }
    return this.isHeld
  }

  /**
   * Takes the lock on a connection, and verifies it from then on. Throws `ServedElsewhere` if another process serves the
   * database, or has done so since this one did.
   */
  async take(client: Client): Promise<void> {
    if (this.#hasServed && (await readRow(client))?.holder !== this.#id) throw new ServedElsewhere()
    await this.#lock(client)
    const predecessor = await readRow(client)
    if (this.#hasServed && predecessor?.holder !== this.#id) throw new ServedElsewhere()
    if (!this.#hasServed) {
      const wait = this.#waitAfter(predecessor)
      if (predecessor?.holder !== this.#id) await this.#recordHolder(client, this.#isShared && wait === 0)
      if (wait > 0) {
        this.#log.warn(`the previous process did not sign off; waiting ${wait} ms until its lease has expired`)
        await sleep(wait)
      }
    }
    const { rows } = await client.query<{ pid: number }>(BACKEND)
    this.#backend = rows[0]?.pid
    this.#client = client
    await this.#verify()
    this.#hasServed = true
    this.#timer = setInterval(() => this.#tick(client), VERIFY_INTERVAL).unref()
  }

  /** To be called when the connection is lost: any process may hold the lock now. */
  lose(): void {
    clearInterval(this.#timer)
    this.#client = undefined
    this.#verified = undefined
    this.#unanswered = 0
  }

  /** Lets the next process start serving without a wait. Nothing may be served or written after this. */
  async signOff(): Promise<void> {
    const client = this.#client
    const isHeld = this.isHeld
    this.lose()
    // Other nodes of the cluster may go on.
    if (this.#isShared) return
    if (isHeld) await client?.query('UPDATE serving_process SET signed_off_at = now() WHERE holder = $1', [this.#id])
  }

  get #isShared(): boolean {
    return this.#id === CLUSTER
  }

  /** In milliseconds: how long the predecessor may still consider the lease its own. */
  #waitAfter(predecessor: Row | undefined): number {
    if (!predecessor || this.#isExclusive) return 0
    const { holder, signedOff, age } = predecessor
    // For the nodes of a cluster the row says whether the process before the first of them had signed off.
    if (holder === CLUSTER && this.#isShared) return signedOff ? 0 : Math.max(0, EXPIRY - age)
    return signedOff && holder !== CLUSTER ? 0 : EXPIRY
  }

  async #lock(client: Client): Promise<void> {
    try {
      await client.query(`SET lock_timeout = ${LOCK_WAIT}`)
      const shared = this.#isShared ? '_shared' : ''
      const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_lock${shared}($1) AS taken`, [
        SERVING_LOCK,
      ])
      if (rows[0]?.taken) return
      this.#log.info('waiting for the process that serves this database to stop')
      await client.query(`SELECT pg_advisory_lock${shared}($1)`, [SERVING_LOCK])
    } catch (error) {
      throw error instanceof DatabaseError && error.code === LOCK_TIMEOUT ? new ServedElsewhere() : error
    }
  }

  /** After this, the predecessor can no longer change a cached table. */
  async #recordHolder(client: Client, signedOff: boolean): Promise<void> {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [CHANGES_LOCK])
    await client.query(RECORD_HOLDER, [this.#id, signedOff])
    await client.query('COMMIT')
  }

  #tick(client: Client): void {
    if (this.#verifying === undefined) return void this.#verify()
    this.#unanswered += 1
    if (this.#unanswered < MAX_UNANSWERED) return
    // Counted in timer ticks, not by a clock: after a suspension the answer may have arrived and only wait to be read.
    client.connection.stream.destroy(new Error('the database does not answer'))
  }

  #verify(): Promise<void> {
    return (this.#verifying ??= this.#queryBackend().finally(() => {
      this.#verifying = undefined
      this.#unanswered = 0
    }))
  }

  async #queryBackend(): Promise<void> {
    const client = this.#client
    if (!client) return
    const sent = { monotonic: performance.now(), wall: Date.now() }
    try {
      const { rows } = await client.query<{ pid: number }>(BACKEND)
      // A connection pooler may have switched to another session, which does not hold the lock.
      if (this.#client !== client || rows[0]?.pid !== this.#backend) return
      this.#verified = sent
      // The answer came too late to prove anything: this process was suspended, or the database is slow.
      if (!this.isHeld) return await this.#queryBackend()
      this.#granted.resolve()
      this.#granted = Promise.withResolvers()
    } catch {
      // The connection is broken: the bus sees its error event and reconnects.
    }
  }
}

const BACKEND = 'SELECT pg_backend_pid() AS pid'

const RECORD_HOLDER = `INSERT INTO serving_process (holder, signed_off_at) VALUES ($1, CASE WHEN $2 THEN now() END)
  ON CONFLICT (only_row) DO UPDATE
  SET holder = excluded.holder, since = now(), signed_off_at = excluded.signed_off_at`

async function readRow(client: Client): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(
    `SELECT holder, signed_off_at IS NOT NULL AS "signedOff",
      (extract(epoch FROM clock_timestamp() - since) * 1000)::float8 AS age
    FROM serving_process`,
  )
  return rows[0]
}
