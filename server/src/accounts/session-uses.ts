import type { Pool } from 'pg'
import { Throttle } from '../events/throttle.ts'
import type { Log } from '../telemetry/log.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly sessionUses: SessionUses
  }
}

/** In milliseconds. */
const PAUSE = 1000

/** Skips sessions that another request or node has stored since, or is storing at the same time, or that are just ending. */
const STORE = {
  name: 'store_session_uses',
  text: `UPDATE sessions SET last_used_at = now()
    WHERE id IN (
      SELECT id FROM sessions
      WHERE id = ANY ($1::uuid[]) AND last_used_at < now() - interval '1 minute' FOR UPDATE SKIP LOCKED
    )`,
}

/**
 * Stores when sessions were last used, many in one statement, and no request waits for it. A use that is lost in a crash is
 * stored with the next one.
 */
export class SessionUses {
  readonly #pool: Pool
  readonly #storing: Throttle
  readonly #unstored = new Set<string>()

  constructor(pool: Pool, log: Log) {
    this.#pool = pool
    this.#storing = new Throttle(
      PAUSE,
      () => this.#store(),
      (error) => log.warn({ err: error }, 'storing the use of sessions failed'),
    )
  }

  note(sessionId: string): void {
    this.#unstored.add(sessionId)
    this.#storing.trigger()
  }

  async stop(): Promise<void> {
    await this.#storing.stop()
    await this.#store()
  }

  async #store(): Promise<void> {
    const ids = [...this.#unstored]
    this.#unstored.clear()
    if (ids.length > 0) await this.#pool.query({ ...STORE, values: [ids] })
  }
}
