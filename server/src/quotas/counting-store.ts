import type { Pool, PoolClient } from 'pg'
import { Deadline } from '../db/deadline.ts'
import { takeClient } from '../db/take-client.ts'

/** Where the nodes of a cluster count. */
export interface Counting {
  /** Grows whenever counting moves. */
  readonly epoch: number
  /** Names the counters in Redis. Null: requests are counted in the database. */
  readonly token: string | null
}

/** How long ago requests of a subject were accepted, in microseconds, the oldest first. */
export interface AcceptedAges {
  readonly subject: string
  readonly ages: readonly number[]
}

export interface DatabaseTaken {
  readonly state: 'accepted' | 'refused' | 'moved' | 'pending' | 'unknown'
  readonly remaining: number | null
  readonly takenAt: string | null
  /** In microseconds. */
  readonly wait: number | null
}

/** In milliseconds: how long moving may take, while all requests wait. */
const MOVE_TIMEOUT = 5000

interface Options {
  readonly pool: Pool
  /** Identifies this node. */
  readonly id: string
  /** In milliseconds: the length of a window, and for how long at most a node trusts a confirmation. */
  readonly length: number
  readonly validity: number
}

/** The place that the nodes agree on, and the counters in the database (migration 0013). */
export class CountingStore {
  readonly #pool: Pool
  readonly #id: string
  readonly #length: string
  readonly #validity: string

  constructor({ pool, id, length, validity }: Options) {
    this.#pool = pool
    this.#id = id
    this.#length = `${length} milliseconds`
    this.#validity = `${validity} milliseconds`
  }

  /** Registers this node, and returns where to count now. */
  async confirm(reachesRedis: boolean): Promise<Counting> {
    const { rows } = await this.#pool.query<Counting>({ ...CONFIRM, values: [this.#id, reachesRedis] })
    return one(rows)
  }

  /** Redis has lost the counters of this epoch, or this node can't reach them. */
  async lose(epoch: number): Promise<boolean> {
    const { rowCount } = await this.#pool.query(LOSE, [epoch])
    return rowCount === 1
  }

  /** Reports what this node accepted before the epoch. Until all nodes have, nothing is accepted. */
  async report(epoch: number, accepted: readonly AcceptedAges[]): Promise<void> {
    await this.#pool.query(REPORT, [this.#id, epoch, ...columns(accepted)])
  }

  /** Signs this node off, with what it accepted: nobody has to wait for its report. */
  async leave(accepted: readonly AcceptedAges[]): Promise<void> {
    await this.#pool.query(LEAVE, [this.#id, ...columns(accepted)])
  }

  async take(subject: string, limit: number): Promise<DatabaseTaken> {
    const { rows } = await this.#pool.query<DatabaseTaken>({
      ...TAKE,
      values: [subject, limit, this.#length, this.#validity],
    })
    return one(rows)
  }

  async giveBack(subject: string, takenAt: string): Promise<void> {
    await this.#pool.query(GIVE_BACK, [subject, takenAt])
  }

  async ages(subject: string): Promise<readonly number[]> {
    const { rows } = await this.#pool.query<AcceptedAges>(`${AGES} WHERE subject = $2`, [this.#length, subject])
    return rows[0]?.ages ?? []
  }

  /**
   * Moves counting to Redis: `load` gets everything that is in the windows. Nobody accepts anything meanwhile. Returns false
   * if another node was faster, or if some node has yet to report or can't reach Redis.
   */
  async moveToRedis(token: string, load: (accepted: readonly AcceptedAges[]) => Promise<void>): Promise<boolean> {
    const { client, release } = await takeClient(this.#pool, new Deadline(MOVE_TIMEOUT))
    try {
      await client.query('BEGIN')
      const isMoved = await this.#move(client, token, load)
      await client.query(isMoved ? 'COMMIT' : 'ROLLBACK')
      release()
      return isMoved
    } catch (error) {
      release(true)
      throw error
    }
  }

  async #move(client: PoolClient, token: string, load: (accepted: readonly AcceptedAges[]) => Promise<void>) {
    await client.query('SELECT FROM quota_counting FOR UPDATE')
    const { rows } = await client.query<{ mayMove: boolean }>(MAY_MOVE, [this.#validity, this.#length])
    if (!one(rows).mayMove) return false
    const { rows: accepted } = await client.query<AcceptedAges>(AGES, [this.#length])
    await load(accepted)
    // What is still in the windows stays: if Redis is lost again, nodes report only what they have accepted since.
    await client.query(FORGET_OLD, [this.#length])
    await client.query(`DELETE FROM quota_log WHERE accepted = '{}'`)
    await client.query(`DELETE FROM quota_nodes WHERE seen_at < clock_timestamp() - interval '5 minutes'`)
    await client.query('UPDATE quota_counting SET epoch = epoch + 1, token = $1, changed_at = clock_timestamp()', [
      token,
    ])
    return true
  }
}

function columns(accepted: readonly AcceptedAges[]): [string[], string[]] {
  return [accepted.map(({ subject }) => subject), accepted.map(({ ages }) => `{${ages.join()}}`)]
}

function one<T>(rows: readonly T[]): T {
  const [row] = rows
  if (row === undefined) throw new Error('the database does not know where quotas are counted')
  return row
}

const CONFIRM = { name: 'confirm_quota_node', text: 'SELECT epoch, token FROM confirm_quota_node($1, $2)' }

/** The time is read when the lock is held: no node confirms the place that is lost after that. */
const LOSE = `WITH lost AS MATERIALIZED (SELECT FROM quota_counting WHERE epoch = $1 AND token IS NOT NULL FOR UPDATE)
  UPDATE quota_counting SET epoch = epoch + 1, token = NULL, changed_at = clock_timestamp() FROM lost`

/** In order, so that nodes that report at the same time don't wait for each other in a circle. */
const INSERT_ACCEPTED = (node: string, subjects: string, ages: string): string =>
  `INSERT INTO quota_log AS log (subject, accepted)
    SELECT w.subject, ARRAY(SELECT quota_clock() - age FROM unnest(w.ages::bigint[]) AS age)
    FROM ${node}, unnest(${subjects}::text[], ${ages}::text[]) AS w (subject, ages) ORDER BY w.subject
    ON CONFLICT (subject) DO UPDATE SET accepted = log.accepted || excluded.accepted`

/** Has no effect when repeated. */
const REPORT = `WITH reported AS (UPDATE quota_nodes SET epoch = $2 WHERE node = $1 AND epoch < $2 RETURNING node)
  ${INSERT_ACCEPTED('reported', '$3', '$4')}`

const LEAVE = `WITH gone AS (DELETE FROM quota_nodes WHERE node = $1 RETURNING node)
  ${INSERT_ACCEPTED('gone', '$2', '$3')}`

const TAKE = {
  name: 'take_quota',
  text: `SELECT state, remaining, taken_at::text AS "takenAt", wait::float8 AS wait
    FROM take_quota($1, $2, $3::interval, $4::interval)`,
}

const GIVE_BACK = `UPDATE quota_log
  SET accepted = accepted[:array_position(accepted, $2::bigint) - 1] || accepted[array_position(accepted, $2::bigint) + 1:]
  WHERE subject = $1 AND $2::bigint = ANY (accepted)`

const AGES = `SELECT subject, ARRAY(
    SELECT (quota_clock() - t)::float8 FROM unnest(accepted) AS t
    WHERE t > quota_clock() - extract(epoch FROM $1::interval) * 1000000 ORDER BY t
  ) AS ages FROM quota_log`

const FORGET_OLD = `UPDATE quota_log SET accepted = ARRAY(
    SELECT t FROM unnest(accepted) AS t WHERE t > quota_clock() - extract(epoch FROM $1::interval) * 1000000 ORDER BY t
  )`

const MAY_MOVE = `SELECT token IS NULL
    AND coalesce(quotas_unknown_until(c, $1::interval, $2::interval) < clock_timestamp(), true)
    AND NOT EXISTS (SELECT FROM quota_nodes WHERE NOT reaches_redis AND seen_at > clock_timestamp() - $1::interval)
    AS "mayMove"
  FROM quota_counting AS c`
