import type { ClientBase, Pool } from 'pg'
import type { Deadline } from './deadline.ts'
import type { Statement } from './prepared.ts'

/**
 * In milliseconds: nothing is committed this close to the deadline. The client might no longer get the response of such a
 * commit; and as long as the clocks differ by less than this, nothing is written after the request has timed out.
 */
const COMMIT_MARGIN = 1000

/** In milliseconds: a measurement that took longer is too imprecise to use. */
const MAX_ROUND_TRIP = 500

/** The clock of the database, which may run on another machine. */
export class DatabaseClock {
  readonly #pool: Pool
  /** In milliseconds: how far the database's clock is ahead of this machine's. */
  #ahead = 0

  constructor(pool: Pool) {
    this.#pool = pool
    pool.on('connect', (client) => {
      // If the connection is broken, its next statement fails.
      this.#measure(client).catch(() => undefined)
    })
  }

  /** The latest time, by the database's clock, at which a transaction with this deadline may commit. */
  lastCommit(deadline: Deadline): string {
    return new Date(Date.now() + deadline.left - COMMIT_MARGIN + this.#ahead).toISOString()
  }

  /** The last statement of a transaction: fails if it is too late to commit. */
  guard(deadline: Deadline): Statement {
    return { sql: 'SELECT require_in_time($1::timestamptz)', parameters: [this.lastCommit(deadline)] }
  }

  /** Whether there is still time to commit, by the clock of this process. */
  mayCommit(deadline: Deadline): boolean {
    return deadline.left > COMMIT_MARGIN
  }

  /** Compares the clocks again, for example after one of them was set. */
  measure(): Promise<void> {
    return this.#measure(this.#pool)
  }

  async #measure(client: Pool | ClientBase): Promise<void> {
    const sent = Date.now()
    const { rows } = await client.query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    )
    const received = Date.now()
    const now = rows[0]?.now
    if (now === undefined || received - sent > MAX_ROUND_TRIP) return
    // The database read its clock at an unknown time between `sent` and `received`: within that range there is no known drift.
    if (now < sent) this.#ahead = now - sent
    else this.#ahead = now > received ? now - received : 0
  }
}
