import { constants } from 'node:fs'
import { access, chmod, chown, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMAND } from '../../config/command.ts'
import type { Log } from '../log.ts'
import { makeDataFolder } from '../make-data-folder.ts'
import { StartError } from '../start-error.ts'
import { type Binaries, bundledFolder, findBinaries } from './binaries.ts'
import { type Connection, connectionTo, type Transport } from './connection.ts'
import { createCluster, removeUnfinished } from './create-cluster.ts'
import { isForbidden } from './file-errors.ts'
import { lockFolder } from './folder-lock.ts'
import { providePassword } from './password.ts'
import { findPlace, linkCluster, type Place } from './place.ts'
import type { Identity } from './run-program.ts'
import { type ServerProcess, startServer } from './server-process.ts'

export interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** Called with a short description of steps that take long. */
  progress?: (text: string) => void
  /** Called with the reason when the server exits unexpectedly. */
  onExit?: (reason: string) => void
  transport?: Transport
  /** `system`: ignore the bundled PostgreSQL. */
  programs?: 'bundled' | 'system'
  /** Additional server settings. */
  settings?: Record<string, string>
}

export interface EmbeddedDatabase {
  connection: Connection
  dataDir: string
  /** The cluster's real location: in the data folder, unless PostgreSQL's user can't access that. */
  cluster: string
  version: string
  pid: number
  stop: () => Promise<void>
}

/** Starts the PostgreSQL server of a data folder; the first start creates both. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  try {
    return await start(options)
  } catch (error) {
    if (!isForbidden(error)) throw error
    throw new StartError(
      `The data folder ${options.dataDir} can’t be used: ${error instanceof Error ? error.message : String(error)}.`,
      'Make the user who runs Portico the owner of it and everything in it, or set PORTICO_DATA to another folder.',
      { cause: error },
    )
  }
}

async function start(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  await makeDataFolder(options.dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  const dataDir = await realpath(options.dataDir)
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  const lock = lockFolder(dataDir)
  try {
    const started = await startLocked(dataDir, options)
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= started.server.stop().finally(() => lock.release()))
    started.server.ended.then(
      (reason) => {
        if (stopped) return
        stopped = Promise.resolve(lock.release())
        options.onExit?.(reason)
      },
      (error: unknown) => options.log.error({ err: error }, 'PostgreSQL connection lost'),
    )
    return { ...started.facts, dataDir, stop }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function startLocked(dataDir: string, options: EmbeddedOptions) {
  const { log, progress = () => {}, transport = process.platform === 'win32' ? 'loopback' : 'socket' } = options
  const startedAt = performance.now()
  const place = await findPlace(dataDir, progress)
  const { folder, identity } = place
  await removeUnfinished(folder, log)
  const wanted = place.clusters.map(({ major }) => major)
  const bundled = options.programs === 'system' ? undefined : bundledFolder()
  const binaries = await findBinaries({
    identity,
    bundled,
    copyTo: join(folder, 'programs'),
    wanted,
    progress,
  })
  const cluster = await provideCluster(place, binaries, async (path) => {
    progress('creating the database (first start)…')
    await createCluster(path, { binaries, identity })
  })
  await linkCluster(dataDir, cluster)
  await takeOver(cluster, identity)

  const server: ServerProcess = await startServer({
    prepare: () => providePassword(dataDir, cluster, { binaries, identity }),
    cluster,
    folder,
    logFile: join(dataDir, 'postgres.log'),
    binaries,
    identity,
    transport,
    settings: options.settings ?? {},
    log,
    progress,
  })
  const { pid } = server.postmaster
  const ms = Math.round(performance.now() - startedAt)
  log.info({ postmaster: pid, cluster, version: binaries.version, uid: identity.uid, ms }, 'PostgreSQL is ready')
  const connection = connectionTo(server.postmaster, server.password)
  return { server, facts: { connection, cluster, version: binaries.version, pid } }
}

async function provideCluster(place: Place, { major }: Binaries, create: (path: string) => Promise<void>) {
  const existing = place.clusters.find((cluster) => cluster.major === major)
  if (existing) return existing.path
  const other = place.clusters[0]
  if (other) {
    throw new StartError(
      `${other.path} was written by PostgreSQL ${other.major}; this Portico has PostgreSQL ${major}, which can’t read it.`,
      `With the Portico that wrote it, run: ${COMMAND} backup. Then move the folder away and, with this Portico, run: ${COMMAND} restore.`,
    )
  }
  const path = join(place.folder, `pg${major}`)
  await create(path)
  return path
}

/** PostgreSQL requires that its folder belongs to its user and is private. */
async function takeOver(cluster: string, { uid, gid }: Identity): Promise<void> {
  const owner = await stat(cluster)
  const self = uid ?? process.getuid?.()
  if (self === undefined) return
  if (owner.uid !== self) {
    if (uid === undefined || gid === undefined) {
      throw new StartError(
        `The database in ${cluster} belongs to user id ${owner.uid}, but Portico runs as user id ${self}.`,
        `Run Portico as that user or as root, or change its owner: chown -R ${self} '${cluster}'.`,
      )
    }
    const inside = await readdir(cluster, { recursive: true })
    for (const path of ['', ...inside]) await chown(join(cluster, path), uid, gid)
  }
  if ((owner.mode & 0o077) !== 0) await chmod(cluster, 0o700)
}
