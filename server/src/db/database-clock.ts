import type { ClientBase, Pool } from 'pg'
import type { Deadline } from './deadline.ts'
import type { Statement } from './prepared.ts'

/**
 * Milliseconds before the deadline after which nothing is committed any more. A commit that begins within them would be
 * acknowledged to nobody; and as long as the clocks differ by less than this, no write happens after it was given up.
 */
const LAST_COMMIT_BEFORE = 1000

/** In milliseconds: an answer that took longer says too little about the clock. */
const PRECISION = 500

/** What time it is for the database, which may run on another machine. */
export class DatabaseClock {
  readonly #pool: Pool
  /** Milliseconds by which its clock is ahead of ours. */
  #ahead = 0

  constructor(pool: Pool) {
    this.#pool = pool
    pool.on('connect', (client) => {
      // A broken connection is noticed by the next statement that uses it.
      this.#measure(client).catch(() => undefined)
    })
  }

  /** The last moment, by the clock of the database, at which a transaction with this deadline may commit. */
  lastCommit(deadline: Deadline): string {
    return new Date(Date.now() + deadline.left - LAST_COMMIT_BEFORE + this.#ahead).toISOString()
  }

  /** A statement that fails when the moment of the last commit has passed. It is the last one of a transaction. */
  guard(deadline: Deadline): Statement {
    return { sql: 'SELECT require_in_time($1::timestamptz)', parameters: [this.lastCommit(deadline)] }
  }

  /** By our own clock. */
  mayCommit(deadline: Deadline): boolean {
    return deadline.left > LAST_COMMIT_BEFORE
  }

  /** Compares the clocks again, after one of them was set. */
  measure(): Promise<void> {
    return this.#measure(this.#pool)
  }

  async #measure(client: Pool | ClientBase): Promise<void> {
    const asked = Date.now()
    const { rows } = await client.query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    )
    const answered = Date.now()
    const now = rows[0]?.now
    if (now === undefined || answered - asked > PRECISION) return
    // It is not known when in between it looked at its clock: a difference within that time is none.
    if (now < asked) this.#ahead = now - asked
    else this.#ahead = now > answered ? now - answered : 0
  }
}
