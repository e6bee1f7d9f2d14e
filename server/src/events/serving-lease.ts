import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, type Client } from 'pg'
import { StartError } from '../db/start-error.ts'
import type { Log } from '../telemetry/log.ts'

/** Held by the process that serves the database, on the connection that it listens on. */
export const SERVING_LOCK = 0x706f7261
/** Taken by the trigger `announce_access_change` for every change of what may be cached, and here while the holder changes. */
const CHANGES_LOCK = 0x706f7266
/** How long a process that starts waits for the one before it to leave. */
const PATIENCE = 10_000
const LOCK_TIMEOUT = '55P03'

/** How often the lock is verified, and how many times in a row without an answer before the connection is given up. */
const VERIFY_EVERY = 1000
const MOST_UNANSWERED = 10
/** In milliseconds: how long one verification is good for, counted from when it was sent. */
const LASTS = 3000
/** What clocks of two machines may run apart in that time, and then some. */
const MARGIN = 500

export class ServedElsewhere extends StartError {
  constructor() {
    super(
      'Another Portico process serves this database.',
      'Stop that one first. Several processes on one database need a cluster mode, which this version does not have.',
    )
  }
}

interface Options {
  /** Names this process in the database. */
  readonly id: string
  readonly log: Log
  /** Nobody else can reach the database: one that died without signing off cannot still be serving. */
  readonly isExclusive: boolean
}

interface Row {
  readonly holder: string
  readonly left: boolean
}

/**
 * The right to serve a database, which one process has at a time. It is a lock of the session that the process listens
 * on, and it is trusted only for a short while after the session has answered.
 *
 * A process that cannot reach the database stops trusting it `LASTS` after its last successful verification was sent.
 * The server gave the lock away after that moment. So a successor that waits `LASTS` after it has the lock knows that
 * nobody else still serves, whatever became of the network between. It waits only when the one before has not signed off.
 */
export class ServingLease {
  readonly #id: string
  readonly #log: Log
  readonly #isExclusive: boolean
  #client: Client | undefined
  #backend: number | undefined
  /** When the last verification that succeeded was sent, by two clocks: one never jumps, the other counts a suspended machine. */
  #verified: { readonly steady: number; readonly wall: number } | undefined
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

  /** Nobody else serves this database now. */
  get isHeld(): boolean {
    if (this.#verified === undefined) return false
    const { steady, wall } = this.#verified
    return performance.now() - steady < LASTS && Math.abs(Date.now() - wall) < LASTS
  }

  /** Waits until it is held again, so long at most. */
  async whenHeld(patience: number): Promise<boolean> {
    const over = AbortSignal.timeout(patience)
    while (!this.isHeld && !over.aborted) {
      void this.#verify()
      const aborted = new Promise<void>((resolve) => over.addEventListener('abort', () => resolve(), { once: true }))
      await Promise.race([this.#granted.promise, aborted])
    }
    return this.isHeld
  }

  /**
   * Takes the lock on a connection, and has it verified from then on. Throws `ServedElsewhere` when another process
   * serves, or has served since this one did.
   */
  async take(client: Client): Promise<void> {
    if (this.#hasServed && (await readRow(client))?.holder !== this.#id) throw new ServedElsewhere()
    await this.#lock(client)
    const before = await readRow(client)
    if (this.#hasServed && before?.holder !== this.#id) throw new ServedElsewhere()
    if (!this.#hasServed) {
      await this.#enter(client)
      if (before && !before.left && !this.#isExclusive) {
        this.#log.warn(
          `the process that served before did not sign off; waiting ${LASTS + MARGIN} ms for it to be gone`,
        )
        await sleep(LASTS + MARGIN)
      }
    }
    const { rows } = await client.query<{ pid: number }>(BACKEND)
    this.#backend = rows[0]?.pid
    this.#client = client
    await this.#verify()
    this.#hasServed = true
    this.#timer = setInterval(() => this.#tick(client), VERIFY_EVERY).unref()
  }

  /** The connection is gone: any process may hold the lock now. */
  lose(): void {
    clearInterval(this.#timer)
    this.#client = undefined
    this.#verified = undefined
    this.#unanswered = 0
  }

  /** Lets the next process begin at once. Nothing may be served or written after this. */
  async signOff(): Promise<void> {
    const client = this.#client
    const isHeld = this.isHeld
    this.lose()
    if (isHeld) await client?.query('UPDATE serving_process SET signed_off_at = now() WHERE holder = $1', [this.#id])
  }

  async #lock(client: Client): Promise<void> {
    try {
      await client.query(`SET lock_timeout = ${PATIENCE}`)
      const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
        SERVING_LOCK,
      ])
      if (rows[0]?.taken) return
      this.#log.info('waiting for the process that serves this database to stop')
      await client.query('SELECT pg_advisory_lock($1)', [SERVING_LOCK])
    } catch (error) {
      throw error instanceof DatabaseError && error.code === LOCK_TIMEOUT ? new ServedElsewhere() : error
    }
  }

  /** From here on the one before can change nothing that we cache. */
  async #enter(client: Client): Promise<void> {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [CHANGES_LOCK])
    await client.query(ENTER, [this.#id])
    await client.query('COMMIT')
  }

  #tick(client: Client): void {
    if (this.#verifying === undefined) return void this.#verify()
    this.#unanswered += 1
    if (this.#unanswered < MOST_UNANSWERED) return
    // Counted in our own ticks, not by a clock: the answer to a process that was stopped may be there, unread.
    client.connection.stream.destroy(new Error('the database does not answer'))
  }

  #verify(): Promise<void> {
    return (this.#verifying ??= this.#ask().finally(() => {
      this.#verifying = undefined
      this.#unanswered = 0
    }))
  }

  async #ask(): Promise<void> {
    const client = this.#client
    if (!client) return
    const sent = { steady: performance.now(), wall: Date.now() }
    try {
      const { rows } = await client.query<{ pid: number }>(BACKEND)
      // A pooler in between may have given us another session, which holds nothing.
      if (this.#client !== client || rows[0]?.pid !== this.#backend) return
      this.#verified = sent
      // The answer came too late to say anything about now: the process was stopped, or the database is slow.
      if (!this.isHeld) return await this.#ask()
      this.#granted.resolve()
      this.#granted = Promise.withResolvers()
    } catch {
      // The connection breaks, of which the bus learns, too.
    }
  }
}

const BACKEND = 'SELECT pg_backend_pid() AS pid'

const ENTER = `INSERT INTO serving_process (holder) VALUES ($1)
  ON CONFLICT (only_row) DO UPDATE SET holder = excluded.holder, since = now(), signed_off_at = NULL`

async function readRow(client: Client): Promise<Row | undefined> {
  const { rows } = await client.query<Row>(`SELECT holder, signed_off_at IS NOT NULL AS left FROM serving_process`)
  return rows[0]
}
