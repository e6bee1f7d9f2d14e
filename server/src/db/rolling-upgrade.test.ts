import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { setUpCode } from '../accounts/set-up.ts'
import { atFileEnd } from '../../test/file-end.ts'
import { startMessageLoad } from '../../test/message-load.ts'
import { Person } from '../../test/person.ts'
import { redisProgram } from '../../test/redis.ts'
import { silentLog } from '../../test/silent-log.ts'
import { startCluster } from '../../test/start-cluster.ts'
import { startNode } from '../../test/start-node.ts'
import { startBalancer } from '../../test/tcp-balancer.ts'
import { migrate } from './migrate.ts'
import { numbered, readMigrations } from './migration-files.ts'
import { MIGRATIONS } from './open-storage.ts'

const TABLES = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    AND relname <> 'schema_migrations'`

describe.skipIf(redisProgram === undefined)('nodes of the version before', () => {
  test('serve, restart and lose nothing while a newer one adds a column to every table', async () => {
    const cluster = await startCluster(2)
    const [server] = cluster.nodes
    const { pool } = server.services.database
    const administrator = await new Person(server).setUp(setUpCode(server.services.secret))
    const nodes = [...cluster.nodes]
    const balancer = await startBalancer(() => nodes.map(({ url }) => url))
    const load = await startMessageLoad({ portal: { server, administrator }, through: balancer })
    await load.more(20)

    const folder = await mkdtemp(join(tmpdir(), 'portico-newer-'))
    atFileEnd(() => rm(folder, { recursive: true }))
    await cp(MIGRATIONS, folder, { recursive: true })
    const known = (await readMigrations(folder)).length
    const { rows } = await pool.query<{ name: string }>(TABLES)
    for (const [index, { name }] of rows.entries()) {
      const sql = `ALTER TABLE ${name} ADD COLUMN newer text NOT NULL DEFAULT 'unknown to the version before'`
      await writeFile(join(folder, `${numbered(known + 1 + index)}_newer_${name}.sql`), sql)
    }
    expect(await migrate(pool, folder, silentLog)).toEqual({ applied: rows.length })
    await load.more(20)
    nodes.push(await startNode(cluster.settings))
    await load.more(20)
    await load.expectNothingLost()
  })
})
