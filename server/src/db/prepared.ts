import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import type { Tables } from './tables.ts'

/** Statements beyond this many are not prepared: texts built from data must not fill the server's memory. */
const MOST_NAMES = 1000

const names = new Map<string, string>()

/** Kysely on one connection, whose statements the server parses and plans once. They wait until it is there. */
export function preparedClient(connected: Promise<PoolClient>): Kysely<Tables> {
  let face: Promise<PostgresPoolClient> | undefined
  const connect = () => (face ??= connected.then((client) => faceOf(client, () => undefined)))
  const pool = { connect, end: async () => undefined, options: {} }
  return new Kysely({ dialect: new PostgresDialect({ pool }) })
}

/** The same on any connection of the pool, for statements outside a transaction. */
export function preparedPool(pool: Pool): Kysely<Tables> {
  const faces = new WeakMap<PoolClient, PostgresPoolClient>()
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = await pool.connect()
    let face = faces.get(client)
    if (!face) {
      face = faceOf(client, (destroy) => client.release(destroy))
      faces.set(client, face)
    }
    return face
  }
  return new Kysely({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end(), options: {} } }) })
}

/** A statement and its parameters, as Kysely compiles one or as it is written by hand. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** Puts a statement on the wire before returning: what is sent next arrives after it. */
export function sendPrepared(client: Pool | PoolClient, { sql, parameters }: Statement): Promise<QueryResult> {
  return client.query({ name: nameOf(sql), text: sql, values: [...parameters] })
}

function faceOf(client: PoolClient, release: (destroy?: boolean) => void): PostgresPoolClient {
  const query = (text: string, values: readonly unknown[] = []) =>
    client.query({ name: nameOf(text), text, values: [...values] })
  return { query, release } as unknown as PostgresPoolClient
}

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    if (names.size >= MOST_NAMES) return ''
    name = `s${names.size + 1}`
    names.set(text, name)
  }
  return name
}
