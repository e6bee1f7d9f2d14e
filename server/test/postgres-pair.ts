import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { atFileEnd } from './file-end.ts'
import { signalServer } from './signal-server.ts'
import { freePort } from './free-port.ts'
import { databaseUrl, queryDatabase } from './query-database.ts'
import { spawnBound } from './spawn-bound.ts'
import { until } from './until.ts'

const SYSTEM = '/usr/lib/postgresql'
const USER = 'portico'
/** PostgreSQL refuses to run as root. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** The folder of Debian's PostgreSQL programs, if they are installed. Tests that need them are skipped by name elsewhere. */
export const postgresPrograms = (existsSync(SYSTEM) ? readdirSync(SYSTEM) : [])
  .toSorted((one, other) => Number(other) - Number(one))
  .map((version) => join(SYSTEM, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_basebackup')) && existsSync(join(folder, 'initdb')))

export interface PostgresPair {
  /** The server that accepts writes. */
  readonly primary: PostgresServer
  /** Kills the primary and makes its replica the next one. */
  failOver(): Promise<void>
}

/** A primary that acknowledges only what its replica has, too, for one test file. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const first = await PostgresServer.create((folder) =>
    run('initdb', '--pgdata', folder, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8', '--no-sync'),
  )
  const from = ['--host', '127.0.0.1', '--port', String(first.port), '--username', USER]
  const second = await PostgresServer.create((folder) =>
    run('pg_basebackup', '--pgdata', folder, ...from, '--write-recovery-conf', '--checkpoint', 'fast', '--no-sync'),
  )
  await first.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
  await first.query('SELECT pg_reload_conf()')
  const replication = 'SELECT sync_state AS state FROM pg_stat_replication'
  await until(async () => (await first.query(replication))[0]?.['state'] === 'sync')
  let primary = first
  return {
    get primary() {
      return primary
    },
    async failOver() {
      await first.kill()
      await second.query('SELECT pg_promote()')
      primary = second
    },
  }
}

export class PostgresServer {
  readonly port: number
  readonly #running: ChildProcess

  static async create(prepare: (folder: string) => Promise<unknown>): Promise<PostgresServer> {
    const folder = await mkdtemp(join(tmpdir(), 'portico-postgres-'))
    await chmod(folder, 0o700)
    if (identity.uid !== undefined) await chown(folder, identity.uid, identity.gid)
    await prepare(folder)
    const server = new PostgresServer(folder, await freePort())
    atFileEnd(async () => {
      await server.resume()
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    })
    await until(async () => (await server.query('SELECT')).length === 1)
    return server
  }

  private constructor(folder: string, port: number) {
    this.port = port
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 100,
      fsync: 'off',
    }
    this.#running = spawnBound(
      join(postgresPrograms ?? '', 'postgres'),
      ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...identity, endedBy: 'INT' },
    )
  }

  /** The address of a database, on the server itself. */
  url(database = 'postgres'): string {
    return databaseUrl(`postgres://${USER}@127.0.0.1:${this.port}`, database)
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return queryDatabase(this.url(), sql)
  }

  /** Suspends all its processes without closing connections. */
  freeze(): Promise<void> {
    return signalServer(this.#running.pid ?? 0, 'SIGSTOP')
  }

  resume(): Promise<void> {
    return signalServer(this.#running.pid ?? 0, 'SIGCONT')
  }

  /** Ends it without a shutdown, as a crash does. */
  async kill(): Promise<void> {
    if (this.#running.exitCode !== null || this.#running.signalCode !== null) return
    const ended = once(this.#running, 'exit')
    this.#running.kill('SIGQUIT')
    await ended
  }
}

function run(program: string, ...args: string[]): Promise<unknown> {
  return promisify(execFile)(join(postgresPrograms ?? '', program), args, { ...identity, cwd: '/' })
}
