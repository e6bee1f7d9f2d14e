import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { atFileEnd } from './file-end.ts'
import { killQuietly } from './database-process.ts'
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

/** Sends a signal to a PostgreSQL server and all its processes. */
export async function signalServer(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (const process of [pid, ...(await childrenOf(pid))]) killQuietly(process, signal)
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // A process that has exited meanwhile has no parent.
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) children.push(Number(name))
  }
  return children
}
