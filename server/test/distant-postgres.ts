import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import type { FreezablePostgres } from './freezable-postgres.ts'
import { relay } from './relay-between-machines.ts'
import type { Machine } from './separate-machines.ts'
import { silentLog } from './silent-log.ts'

const run = promisify(execFile)
const PORT = 5432
/** Nobody has this address, so frames to it are dropped. */
const NOBODY = '02:00:00:00:00:99'

export interface DistantPostgres extends FreezablePostgres {
  /** The address for this machine, to which packets are never dropped. */
  readonly urlHere: string
}

/**
 * A PostgreSQL server for the programs of one machine that seems to run on another. While it is frozen, packets between the two are
 * dropped. Removed after the test.
 */
export async function distantPostgres(near: Machine, far: Machine): Promise<DistantPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-distant-'))
  const { connection, stop } = await startEmbedded({ dataDir, log: silentLog })
  onTestFinished(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const { host, port, user, password, database } = connection
  await relay({ host: far.address, port: PORT }, { path: join(host, `.s.PGSQL.${port}`) }, far)

  const neighbor = ({ name }: Machine, ...args: string[]) => run('ip', ['-n', name, 'neighbor', ...args, 'dev', 'eth0'])
  const here = new URLSearchParams({ host, port: String(port) }).toString()
  return {
    url: `postgres://${user}:${password}@${far.address}:${PORT}/${database}`,
    urlHere: `postgres://${user}:${password}@localhost/${database}?${here}`,
    async freeze() {
      await neighbor(near, 'replace', far.address, 'lladdr', NOBODY, 'nud', 'permanent')
      await neighbor(far, 'replace', near.address, 'lladdr', NOBODY, 'nud', 'permanent')
    },
    async resume() {
      await neighbor(near, 'delete', far.address)
      await neighbor(far, 'delete', near.address)
    },
  }
}
