import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import type { Binaries } from './binaries.ts'
import type { Transport } from './connection.ts'
import { HELD_BY_WORKERS, writeRules } from './password.ts'
import {
  clearStalePidFile,
  findPostmaster,
  type Postmaster,
  readPostmaster,
  requestStop,
  stopPostmaster,
} from './postmaster.ts'
import { type Identity, programEnvironment } from './run-program.ts'
import { openServerLog } from './server-log.ts'
import { serverSettings } from './server-settings.ts'
import { makeSocketFolder, removeSocketFolder, socketPort } from './socket-folder.ts'

interface Request {
  cluster: string
  folder: string
  logFile: string
  binaries: Binaries
  identity: Identity
  transport: Transport
  settings: Record<string, string>
  log: Log
  progress: (text: string) => void
  /** Provides the password, when no other server runs on the cluster. */
  prepare: () => Promise<string>
}

export interface ServerProcess {
  postmaster: Postmaster
  password: string
  /** Settles when the server has exited, with its last log lines. */
  ended: Promise<string>
  stop(): Promise<void>
}

/** Another program took the port that was free a moment ago. The next attempt chooses another one. */
const PORT_TAKEN = 'could not create any TCP/IP sockets'

/** Starts the server on a cluster; the caller holds the folder's lock. */
export async function startServer(request: Request): Promise<ServerProcess> {
  const deadline = Date.now() + 30_000
  for (;;) {
    await clearAway(request)
    const password = await request.prepare()
    const attempt = await launch(request)
    if (typeof attempt !== 'string') return { ...attempt, password }
    // Workers of a killed server hold its shared memory until they notice its death; nothing may start before that.
    const mayStartLater = HELD_BY_WORKERS.test(attempt) || attempt.includes(PORT_TAKEN)
    if (!mayStartLater || Date.now() > deadline) throw startFailed(attempt, request.logFile)
    await sleep(200)
  }
}

async function clearAway({ cluster, binaries, log }: Request): Promise<void> {
  const left = await findPostmaster(cluster)
  if (left) {
    log.warn({ postmaster: left.pid }, 'stopping the PostgreSQL server left behind by an earlier run')
    await stopPostmaster(cluster, left, binaries.pgCtl)
  }
  const stale = left ?? (await readPostmaster(cluster))
  if (stale) await removeSocketFolder(stale.socketDir)
  await clearStalePidFile(cluster)
}

async function launch(request: Request): Promise<Omit<ServerProcess, 'password'> | string> {
  const { cluster, binaries, identity, log } = request
  const address = await chooseAddress(request)
  const rules = await writeRules(cluster)
  const settings = { ...serverSettings(binaries.major), ...request.settings, ...address.settings, ...rules }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const serverLog = await openServerLog(request.logFile, log)
  const child = spawn(binaries.postgres, ['-D', cluster, ...options], {
    ...identity,
    cwd: '/',
    env: programEnvironment,
    stdio: ['ignore', serverLog.fd, serverLog.fd],
    // Ctrl+C in a terminal goes to the whole group; the database must outlive the requests that still use it.
    detached: true,
    windowsHide: true,
  })
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      serverLog.end()
      serverLog
        .read()
        .then((said) => resolve(lastLogLines(said) || `it ended with ${signal ?? `code ${code}`}`), reject)
    })
  })
  await serverLog.close()

  const postmaster = await untilReady(request, child.pid, ended)
  if (typeof postmaster === 'string') {
    await address.remove()
    return postmaster
  }
  return {
    postmaster,
    ended,
    async stop() {
      await requestStop(cluster, postmaster.pid, binaries.pgCtl)
      const timer = setTimeout(() => {
        log.warn('PostgreSQL does not stop; killing it, it will recover on the next start')
        child.kill('SIGQUIT')
      }, 60_000)
      await ended
      clearTimeout(timer)
      await address.remove()
    },
  }
}

async function untilReady({ cluster, progress }: Request, pid: number | undefined, ended: Promise<string>) {
  const start = Date.now()
  let nextReport = 3000
  for (;;) {
    const failure = await Promise.race([sleep(10), ended])
    if (failure !== undefined) return failure
    const postmaster = await readPostmaster(cluster)
    if (postmaster?.pid === pid && postmaster?.ready) return postmaster
    if (Date.now() - start > nextReport) {
      progress('the database is recovering from an unclean stop; this can take a while…')
      nextReport *= 4
    }
  }
}

async function chooseAddress({ folder, identity, transport }: Request) {
  if (transport === 'loopback') {
    const settings = { listen_addresses: '127.0.0.1', port: String(await freePort()), unix_socket_directories: '' }
    return { settings, remove: () => Promise.resolve() }
  }
  const socketDir = await makeSocketFolder(folder, identity)
  const settings = {
    listen_addresses: '',
    port: String(socketPort),
    // The setting is a list: without quotes, a comma or a space in the path would end it.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  return { settings, remove: () => removeSocketFolder(socketDir) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || !address) throw new Error('no free port')
  return address.port
}

/** The last error in the server's log. Hints and details count only with their error. */
export function lastLogLines(said: string): string {
  const errors: string[] = []
  let isAboutError = false
  for (const line of said.split('\n')) {
    const [, severity] = /\b(FATAL|PANIC|ERROR|LOG|WARNING|HINT|DETAIL):|error while loading/.exec(line) ?? []
    if (severity !== 'HINT' && severity !== 'DETAIL') isAboutError = /FATAL|PANIC|ERROR|error while loading/.test(line)
    if (isAboutError) errors.push(line)
  }
  return errors.slice(-3).join(' / ')
}

/** Names a full disk as such: what PostgreSQL says about it sounds like lost data. */
export function startFailed(reason: string, logFile: string): StartError {
  if (reason.includes(DISK_FULL)) {
    return new StartError(
      `The disk that holds the database is full. PostgreSQL said: ${reason}`,
      'Free some space on it, then start again. Nothing that was acknowledged is lost.',
    )
  }
  const hint = `PostgreSQL's own log says more: ${logFile}. The data was not touched.`
  return new StartError(`PostgreSQL did not start: ${reason}`, hint)
}

const DISK_FULL = 'No space left on device'
