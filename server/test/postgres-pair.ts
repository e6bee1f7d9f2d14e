import { atFileEnd } from './file-end.ts'
import { POSTGRES_USER, PostgresServer, runPostgres } from './postgres-server.ts'
import { until } from './until.ts'

export interface PostgresPair {
  /** The server that accepts writes. */
  readonly primary: PostgresServer
  readonly replica: PostgresServer
  /** Kills the primary and makes its replica the next one. */
  failOver(): Promise<void>
}

/** A primary, which by default acknowledges only what its replica has, too, for one test file. */
export async function startPostgresPair({ synchronous = true } = {}): Promise<PostgresPair> {
  const first = await forThisFile(PostgresServer.create())
  const from = ['--host', '127.0.0.1', '--port', String(first.port), '--username', POSTGRES_USER]
  const second = await forThisFile(
    PostgresServer.create({
      prepare: (folder) =>
        runPostgres(
          'pg_basebackup',
          '--pgdata',
          folder,
          ...from,
          '--write-recovery-conf',
          '--checkpoint',
          'fast',
          '--no-sync',
        ),
    }),
  )
  if (synchronous) {
    await first.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await first.query('SELECT pg_reload_conf()')
  }
  const replication = 'SELECT sync_state AS state FROM pg_stat_replication'
  await until(async () => (await first.query(replication))[0]?.['state'] === (synchronous ? 'sync' : 'async'))
  let primary = first
  return {
    get primary() {
      return primary
    },
    replica: second,
    async failOver() {
      await first.kill()
      await second.query('SELECT pg_promote()')
      primary = second
    },
  }
}

async function forThisFile(starting: Promise<PostgresServer>): Promise<PostgresServer> {
  const server = await starting
  atFileEnd(() => server.end())
  return server
}
