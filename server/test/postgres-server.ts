import { execFile, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'
import { databaseUrl, queryDatabase } from './query-database.ts'
import { signalServer } from './signal-server.ts'
import { spawnBound } from './spawn-bound.ts'
import { until } from './until.ts'

const SYSTEM = '/usr/lib/postgresql'
export const POSTGRES_USER = 'portico'
/** PostgreSQL refuses to run as root. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** The folder of Debian's PostgreSQL programs, if they are installed. Tests that need them are skipped by name elsewhere. */
export const postgresPrograms = (existsSync(SYSTEM) ? readdirSync(SYSTEM) : [])
  .toSorted((one, other) => Number(other) - Number(one))
  .map((version) => join(SYSTEM, version, 'bin'))
  .find((folder) => existsSync(join(folder, 'pg_basebackup')) && existsSync(join(folder, 'initdb')))

interface PostgresOptions {
  /** Where its files are; by default in a new folder. */
  readonly folder?: string
  /** Creates its files. */
  readonly prepare?: (folder: string) => Promise<unknown>
  readonly settings?: Readonly<Record<string, string>>
  readonly env?: NodeJS.ProcessEnv
}

/** A PostgreSQL server of its own, without a replica. It is stopped by `end`, or with this process. */
export class PostgresServer {
  readonly port: number
  readonly #folder: string
  readonly #options: PostgresOptions
  #running: ChildProcess

  static async create(options: PostgresOptions = {}): Promise<PostgresServer> {
    const { folder = await mkdtemp(join(tmpdir(), 'portico-postgres-')), prepare = createFiles } = options
    await chmod(folder, 0o700)
    if (identity.uid !== undefined) await chown(folder, identity.uid, identity.gid)
    await prepare(folder)
    const server = new PostgresServer(folder, await freePort(), options)
    await server.#answers()
    return server
  }

  private constructor(folder: string, port: number, options: PostgresOptions) {
    this.#folder = folder
    this.port = port
    this.#options = options
    this.#running = this.#run()
  }

  get hasEnded(): boolean {
    return this.#running.exitCode !== null || this.#running.signalCode !== null
  }

  /** The address of a database, on the server itself. */
  url(database = 'postgres'): string {
    return databaseUrl(`postgres://${POSTGRES_USER}@127.0.0.1:${this.port}`, database)
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return queryDatabase(this.url(), sql)
  }

  /** Suspends all its processes without closing connections. */
  freeze(): Promise<void> {
    return this.#signal('SIGSTOP')
  }

  resume(): Promise<void> {
    return this.#signal('SIGCONT')
  }

  /** Ends it without a shutdown, as a crash does. */
  async kill(): Promise<void> {
    if (this.hasEnded) return
    const ended = once(this.#running, 'exit')
    await this.#signal('SIGKILL')
    await ended
  }

  /** On the same files and port. */
  async startAgain(): Promise<void> {
    if (this.hasEnded) this.#running = this.#run()
    await this.#answers()
  }

  async end(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #signal(signal: NodeJS.Signals): Promise<void> {
    return signalServer(this.#running.pid ?? 0, signal)
  }

  async #answers(): Promise<void> {
    await until(async () => {
      // Processes of its predecessor may not have noticed yet that it is gone, or there is no space left.
      if (this.hasEnded) this.#running = this.#run()
      return (await this.query('SELECT')).length === 1
    })
  }

  #run(): ChildProcess {
    const { settings, env } = this.#options
    const all = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: 100,
      fsync: 'off',
      ...settings,
    }
    return spawnBound(
      join(postgresPrograms ?? '', 'postgres'),
      ['-D', this.#folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...identity, cwd: '/', endedBy: 'INT', ...(env && { env }) },
    )
  }
}

function createFiles(folder: string): Promise<unknown> {
  const login = ['--username', POSTGRES_USER, '--auth', 'trust']
  return runPostgres('initdb', '--pgdata', folder, ...login, '--encoding', 'UTF8', '--no-sync')
}

/** Runs one of its programs until it ends. */
export function runPostgres(program: string, ...args: string[]): Promise<unknown> {
  return promisify(execFile)(join(postgresPrograms ?? '', program), args, { ...identity, cwd: '/' })
}
