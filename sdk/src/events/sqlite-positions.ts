import { PorticoError } from '../client/errors.ts'
import type { Position, SessionStore, StateChange } from './positions.ts'

/** What `node:sqlite` and `bun:sqlite` have in common. */
interface Database {
  exec(sql: string): unknown
  prepare(sql: string): {
    get(...values: readonly (string | number | null)[]): unknown
    run(...values: readonly (string | number | null)[]): unknown
  }
}

type DatabaseConstructor = new (path: string) => Database

/** The names don't collide with tables of the bot itself. */
const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA busy_timeout = 5000;
  CREATE TABLE IF NOT EXISTS portico_position (
    id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, log_offset INTEGER NOT NULL, finished TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS portico_process (id INTEGER PRIMARY KEY CHECK (id = 1), process TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS portico_sessions (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`
const SAVE_POSITION = `
  INSERT INTO portico_position VALUES (1, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, log_offset = excluded.log_offset, finished = excluded.finished
`
const SAVE_PROCESS = `
  INSERT INTO portico_process VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET process = excluded.process
`
const SAVE_SESSION = `
  INSERT INTO portico_sessions VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
`

interface PositionRow {
  readonly epoch: string
  readonly offset: number
  readonly finished: string
}

/**
 * Remembers the position and the sessions in a SQLite database, which can have other tables as well. Needs Node 22.13 or newer,
 * Deno 2.2 or newer, or Bun. Each bot needs a database of its own.
 */
export function sqlitePositions(path: string): SessionStore {
  let opened: Promise<Database> | undefined
  const open = (): Promise<Database> => (opened ??= openDatabase(path))
  /** Who has loaded the position last. Another process would make changes that were already made. */
  let process: string | undefined
  const loadRow = async (): Promise<PositionRow | undefined> => {
    const row = (await open()).prepare('SELECT epoch, log_offset AS offset, finished FROM portico_position').get()
    // Bun has null where Node has undefined.
    return (row ?? undefined) as PositionRow | undefined
  }
  const write = async ({ position, finished, sessions }: StateChange): Promise<void> => {
    const database = await open()
    database.exec('BEGIN IMMEDIATE')
    try {
      const latest = database.prepare('SELECT process FROM portico_process').get() as
        | { process: string }
        | null
        | undefined
      if (process !== undefined && latest?.process !== process) {
        throw new PorticoError(`Another process continues with ${path}: what this one still handles isn’t saved.`)
      }
      if (position) {
        database.prepare(SAVE_POSITION).run(position.epoch, position.offset, JSON.stringify(finished))
      }
      for (const [key, value] of sessions) {
        if (value === undefined) database.prepare('DELETE FROM portico_sessions WHERE key = ?').run(key)
        else database.prepare(SAVE_SESSION).run(key, value)
      }
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  return {
    async load(): Promise<Position | undefined> {
      process = crypto.randomUUID()
      ;(await open()).prepare(SAVE_PROCESS).run(process)
      const row = await loadRow()
      return row && { epoch: row.epoch, offset: row.offset }
    },
    save: (position) => write({ position, finished: [], sessions: new Map() }),
    loadFinished: async () => JSON.parse((await loadRow())?.finished ?? '[]') as [number, number][],
    async loadSession(key) {
      const row = (await open()).prepare('SELECT value FROM portico_sessions WHERE key = ?').get(key)
      return (row as { readonly value: string } | undefined | null)?.value
    },
    saveState: write,
  }
}

async function openDatabase(path: string): Promise<Database> {
  const database = new (await findSqlite())(path)
  database.exec(TABLES)
  return database
}

async function findSqlite(): Promise<DatabaseConstructor> {
  // Bun's own one; TypeScript knows no types of it.
  const ofBun: string = 'bun:sqlite'
  try {
    if ('Bun' in globalThis) return ((await import(ofBun)) as { readonly Database: DatabaseConstructor }).Database
    return (await import('node:sqlite')).DatabaseSync
  } catch (cause) {
    throw new PorticoError(
      'sqlitePositions needs Node 22.13 or newer, Deno 2.2 or newer, or Bun: there is no SQLite here.',
      {
        cause,
      },
    )
  }
}
