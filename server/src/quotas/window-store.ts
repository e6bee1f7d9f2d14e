import type { Pool } from 'pg'
import { Refusal } from '../operations/refusal.ts'

/** A snapshot of one window. */
export interface SavedWindow {
  readonly subject: string
  /** How many were accepted in each second before the save, the latest second first. */
  readonly accepted: readonly number[]
  /** How many more may be accepted before the next save. */
  readonly reserved: number
}

export interface LoadedWindow extends SavedWindow {
  /** At least this many milliseconds have passed since it was saved. */
  readonly age: number
}

export interface Loaded {
  readonly windows: readonly LoadedWindow[]
  /** The previous process stopped cleanly: everything that it accepted is in the windows. */
  readonly isComplete: boolean
}

/** Stores windows across restarts. */
export interface WindowStore {
  load(): Promise<Loaded>
  save(windows: readonly SavedWindow[]): Promise<void>
  /** Records a clean stop: nothing is accepted after this. */
  complete(): Promise<void>
}

/** Ages are counted by the database's clock, since the next process may run on another machine. */
export function databaseWindows(pool: Pool, serverId: string): WindowStore {
  return {
    async load() {
      const { rows: ended } = await pool.query<{ isComplete: boolean }>(BEGIN_COUNTING)
      await pool.query(`DELETE FROM quota_windows WHERE saved_at < now() - interval '2 minutes'`)
      const { rows } = await pool.query<LoadedWindow>(LOAD)
      return { windows: rows, isComplete: ended[0]?.isComplete ?? true }
    },
    async save(windows) {
      const { rowCount } = await pool.query({
        ...SAVE,
        values: [
          serverId,
          windows.map(({ subject }) => subject),
          windows.map(({ accepted }) => `{${accepted.join()}}`),
          windows.map(({ reserved }) => reserved),
        ],
      })
      if (rowCount !== windows.length) throw new Refusal('timeout')
    },
    async complete() {
      await pool.query('UPDATE serving_process SET quotas_saved = true WHERE holder = $1', [serverId])
    },
  }
}

const BEGIN_COUNTING = `WITH before AS (SELECT quotas_saved FROM serving_process)
  UPDATE serving_process SET quotas_saved = false FROM before RETURNING before.quotas_saved AS "isComplete"`

const LOAD = `SELECT subject, accepted, reserved,
    greatest(extract(epoch FROM clock_timestamp() - saved_at), 0)::float8 * 1000 AS age
  FROM quota_windows`

const SAVE = {
  name: 'save_quotas',
  text: `INSERT INTO quota_windows (subject, saved_at, accepted, reserved)
    SELECT w.subject, clock_timestamp(), w.accepted::integer[], w.reserved
    FROM unnest($2::text[], $3::text[], $4::integer[]) AS w (subject, accepted, reserved)
    WHERE EXISTS (SELECT FROM serving_process WHERE holder = $1::uuid)
    ON CONFLICT (subject) DO UPDATE
      SET saved_at = excluded.saved_at, accepted = excluded.accepted, reserved = excluded.reserved`,
}
