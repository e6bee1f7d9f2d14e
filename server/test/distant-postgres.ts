import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { atFileEnd } from './file-end.ts'
import type { FreezablePostgres } from './freezable-postgres.ts'
import { silentLog } from './silent-log.ts'

const run = promisify(execFile)
const [HERE, THERE] = ['10.78.0.1', '10.78.0.2']
const PORT = 5432
/** Nobody has this address, so frames to it are dropped. */
const NOBODY = '02:00:00:00:00:99'

/** Runs on the other machine, and reaches the database through the file system, which both share. */
const RELAY = `
  const net = require('node:net')
  net.createServer((client) => {
    const server = net.connect(process.argv[1])
    client.on('error', () => server.destroy()).on('close', () => server.destroy())
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.pipe(server).pipe(client)
  }).listen(${PORT}, '${THERE}', () => console.log('ready'))`

/**
 * A PostgreSQL server on a machine of its own, a network namespace. While it is frozen, packets between it and this machine are
 * dropped. Removed at the end of the test file. Needs root on Linux.
 */
export async function distantPostgres(): Promise<FreezablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-test-distant-'))
  const { connection, stop } = await startEmbedded({ dataDir, log: silentLog })
  atFileEnd(async () => {
    await stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const { host, port, user, password, database } = connection

  const machine = `portico-db-${process.pid}`
  const cable = `pdb${process.pid}`
  const here = (...args: string[]) => run('ip', args)
  const there = (...args: string[]) => run('ip', ['-n', machine, ...args])
  await here('netns', 'add', machine)
  atFileEnd(async () => void (await here('netns', 'delete', machine)))
  await here('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', machine)
  await here('address', 'add', `${HERE}/24`, 'dev', cable)
  await here('link', 'set', cable, 'up')
  await there('address', 'add', `${THERE}/24`, 'dev', 'eth0')
  for (const device of ['lo', 'eth0']) await there('link', 'set', device, 'up')

  const socket = join(host, `.s.PGSQL.${port}`)
  const relay = spawn('ip', ['netns', 'exec', machine, process.execPath, '-e', RELAY, socket])
  atFileEnd(async () => void relay.kill('SIGKILL'))
  await once(relay.stdout, 'data')
  return {
    url: `postgres://${user}:${password}@${THERE}:${PORT}/${database}`,
    async freeze() {
      await here('neighbor', 'replace', THERE, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', cable)
      await there('neighbor', 'replace', HERE, 'lladdr', NOBODY, 'nud', 'permanent', 'dev', 'eth0')
    },
    async resume() {
      await here('neighbor', 'delete', THERE, 'dev', cable)
      await there('neighbor', 'delete', HERE, 'dev', 'eth0')
    },
  }
}
