import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { atFileEnd } from './file-end.ts'
import { signalServer } from './signal-server.ts'
import { silentLog } from './silent-log.ts'

export interface FreezablePostgres {
  readonly url: string
  /** Suspends all its processes without closing connections. Linux only. */
  freeze(): Promise<void>
  resume(): Promise<void>
}

/** A separate PostgreSQL server, stopped at the end of the test file. */
export async function freezablePostgres(): Promise<FreezablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-frozen-'))
  const { connection, pid, stop } = await startEmbedded({ dataDir, log: silentLog })
  const signalAll = (signal: NodeJS.Signals) => signalServer(pid, signal)
  atFileEnd(async () => {
    await signalAll('SIGCONT')
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const { host, port, user, password, database } = connection
  const address = new URLSearchParams({ host, port: String(port) }).toString()
  return {
    url: `postgres://${user}:${password}@localhost/${database}?${address}`,
    freeze: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
  }
}
