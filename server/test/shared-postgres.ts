import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { databaseUrl, queryDatabase } from './query-database.ts'
import { silentLog } from './silent-log.ts'
import { sweepAbandoned } from './sweep-abandoned.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that all tests share, as an address of its maintenance database. */
    postgresUrl: string
    /** Names the migrated database that every test database is a copy of, and begins the names of the copies. */
    testRun: string
    /** An empty folder for what workers prepare for each other (prepared-data-folder.ts). Deleted after the run. */
    preparedFolder: string
  }
}

const migrations = join(import.meta.dirname, '../migrations')

/** One PostgreSQL for the whole test run: the one of DATABASE_URL_FOR_TESTS, or an embedded one in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL_FOR_TESTS']
  const server = given ? { url: given, stop: async () => {} } : await startTemporary()
  const testRun = `portico_test_${randomBytes(4).toString('hex')}`
  await queryDatabase(server.url, `CREATE DATABASE ${testRun} TEMPLATE template0`)
  const database = await openDatabase({ url: databaseUrl(server.url, testRun), log: silentLog })
  await migrate(database.pool, migrations, silentLog)
  await database.close()

  const preparedFolder = await mkdtemp(join(tmpdir(), 'portico-prepared-'))
  // As root, the database runs as another user.
  await chmod(preparedFolder, 0o755)

  project.provide('postgresUrl', server.url)
  project.provide('testRun', testRun)
  project.provide('preparedFolder', preparedFolder)
  return async () => {
    // A crashed worker has not dropped its databases.
    const left = await queryDatabase(server.url, `SELECT datname FROM pg_database WHERE datname LIKE '${testRun}%'`)
    for (const { datname } of left) await queryDatabase(server.url, `DROP DATABASE ${String(datname)} WITH (FORCE)`)
    await server.stop()
    await rm(preparedFolder, { recursive: true, force: true })
  }
}

async function startTemporary() {
  await sweepAbandoned('portico-test-postgres-')
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-postgres-'))
  const { connection, stop } = await startEmbedded({
    dataDir,
    log: silentLog,
    // The data is discarded after the run, so it need not be flushed to disk.
    settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '400' },
  })
  const { host, port, user, password } = connection
  const address = new URLSearchParams({ host, port: String(port) }).toString()
  return {
    url: `postgres://${user}:${password}@localhost/postgres?${address}`,
    async stop() {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
