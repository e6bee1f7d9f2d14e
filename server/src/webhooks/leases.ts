import type { Pool } from 'pg'
import { PROCESSES_LOCK } from '../events/bus.ts'

/**
 * A process that hangs or can't reach the database loses its leases after this long, and another one takes them over within a
 * second. They are renewed after a third of it.
 */
const LEASE_SECONDS = 9
const MOST_AT_ONCE = 200

export interface Leased {
  readonly applicationId: string
  readonly failing: boolean
}

const HAS_DUE = `EXISTS (SELECT FROM deliveries d
  WHERE d.application_id = c.application_id AND d.state = 'pending' AND d.next_attempt_at <= now())`

const lease = (whose: string): string => `
  UPDATE webhooks w SET leased_by = $1::uuid, leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
  WHERE w.application_id IN (
    SELECT c.application_id FROM webhooks c
    WHERE c.active AND (c.leased_until IS NULL OR c.leased_until < now()) AND ${whose} AND ${HAS_DUE}
    LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED)
  RETURNING w.application_id AS "applicationId", w.failed_streak > 0 AS failing`

const LEASE_ANY = { name: 'lease_webhooks', text: lease('true') }
const LEASE_THESE = { name: 'lease_these_webhooks', text: lease('c.application_id = ANY ($2::uuid[])') }

const OWN_DUE = {
  name: 'due_webhooks',
  text: `SELECT c.application_id AS "applicationId" FROM webhooks c WHERE c.leased_by = $1::uuid AND c.active AND ${HAS_DUE}`,
}

/** Locks webhooks in a fixed order to prevent deadlocks. */
const LOCKED = `WITH own AS (SELECT application_id FROM webhooks
  WHERE leased_by = $1::uuid AND application_id = ANY ($2::uuid[]) ORDER BY application_id FOR UPDATE)`

const RENEW = {
  name: 'renew_leases',
  text: `${LOCKED} UPDATE webhooks w SET leased_until = now() + make_interval(secs => ${LEASE_SECONDS})
    FROM own WHERE w.application_id = own.application_id`,
}

const RELEASE = {
  name: 'release_leases',
  text: `${LOCKED} UPDATE webhooks w SET leased_by = NULL, leased_until = NULL
    FROM own WHERE w.application_id = own.application_id`,
}

const RELEASE_DEAD = {
  name: 'release_dead_leases',
  text: `UPDATE webhooks w SET leased_by = NULL, leased_until = NULL
    WHERE w.application_id IN (
      SELECT c.application_id FROM webhooks c
      WHERE c.leased_by <> $1::uuid AND NOT EXISTS (
        SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.classid = ${PROCESSES_LOCK}::oid
          AND l.objid = hashtext(c.leased_by::text)::oid AND l.objsubid = 2
          AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
      FOR UPDATE SKIP LOCKED)`,
}

/** Leases: only one process at a time sends for an application. */
export class Leases {
  readonly #pool: Pool
  readonly #worker: string

  /** The worker is the process id on the bus: its leases end with its connection. */
  constructor(pool: Pool, worker: string) {
    this.#pool = pool
    this.#worker = worker
  }

  /** Leases up to `most` unleased webhooks with due deliveries. Fewer means that none are left. */
  async take(applicationIds?: readonly string[]): Promise<{ leased: readonly Leased[]; more: boolean }> {
    const statement = applicationIds
      ? { ...LEASE_THESE, values: [this.#worker, applicationIds] }
      : { ...LEASE_ANY, values: [this.#worker] }
    const { rows } = await this.#pool.query<Leased>(statement)
    return { leased: rows, more: rows.length === MOST_AT_ONCE }
  }

  /** This process's webhooks with due deliveries. */
  async due(): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ applicationId: string }>({ ...OWN_DUE, values: [this.#worker] })
    return rows.map(({ applicationId }) => applicationId)
  }

  async renew(applicationIds: readonly string[]): Promise<void> {
    if (applicationIds.length > 0) await this.#pool.query({ ...RENEW, values: [this.#worker, applicationIds] })
  }

  async release(applicationIds: readonly string[]): Promise<void> {
    if (applicationIds.length > 0) await this.#pool.query({ ...RELEASE, values: [this.#worker, applicationIds] })
  }

  /** Frees the leases of dead processes before they expire. */
  async releaseDead(): Promise<void> {
    await this.#pool.query({ ...RELEASE_DEAD, values: [this.#worker] })
  }
}

export const RENEW_EVERY = (LEASE_SECONDS * 1000) / 3
