import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, realpath, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { StartError } from '../start-error.ts'
import { databaseUser } from './database-user.ts'
import { isForbidden, isMissing } from './file-errors.ts'
import { findBarrier } from './reach.ts'
import type { Identity } from './run-program.ts'

/** The location and owner of the database. */
export interface Place {
  /** Contains the cluster (`pg18`), its socket and possibly a copy of the programs. Usually the data folder itself. */
  folder: string
  identity: Identity
  clusters: Cluster[]
}

export interface Cluster {
  major: number
  path: string
}

const systemDataFolder = '/var/lib/portico'

export async function findPlace(dataDir: string, say: (text: string) => void): Promise<Place> {
  const clusters = await findClusters(dataDir)
  const identity = await chooseIdentity([...clusters.map(({ path }) => path), dataDir], say)
  if (clusters[0]) {
    const folder = dirname(clusters[0].path)
    await openDataFolder(folder, identity)
    const barrier = await findBarrier(folder, identity)
    if (barrier) throw unreachable(clusters[0].path, barrier, identity)
    return { folder, identity, clusters }
  }

  await openDataFolder(dataDir, identity)
  const barrier = await findBarrier(dataDir, identity)
  if (!barrier) return { folder: dataDir, identity, clusters }

  const folder = join(systemDataFolder, `${basename(dataDir)}-${digest(dataDir)}`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 })
  } catch (error) {
    if (isForbidden(error)) throw unreachable(dataDir, barrier, identity)
    throw error
  }
  say(
    `the database is kept in ${folder}, because PostgreSQL may not run as root and other users cannot enter ${barrier}`,
  )
  return { folder, identity, clusters: await findClusters(folder) }
}

/** Creates a link in the data folder if the database is elsewhere. */
export async function linkCluster(dataDir: string, cluster: string): Promise<void> {
  if (dirname(cluster) === dataDir) return
  const signpost = join(dataDir, basename(cluster))
  try {
    await stat(signpost)
  } catch (error) {
    if (!isMissing(error)) throw error
    await symlink(cluster, signpost)
  }
}

/** The clusters of a data folder, newest version first. */
export async function findClusters(dataDir: string): Promise<Cluster[]> {
  const clusters: Cluster[] = []
  for (const name of await readdir(dataDir)) {
    const major = Number(/^pg(\d+)$/.exec(name)?.[1])
    if (!major) continue
    const path = await realpath(join(dataDir, name))
    if ((await readdir(path)).length === 0) continue
    await checkCluster(path, major)
    clusters.push({ major, path })
  }
  return clusters.sort((a, b) => b.major - a.major)
}

async function checkCluster(path: string, major: number): Promise<void> {
  try {
    await stat(join(path, 'global', 'pg_control'))
    const written = (await readFile(join(path, 'PG_VERSION'), 'utf8')).trim()
    if (Number(written) === major) return
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  throw new StartError(
    `${path} isn’t a complete PostgreSQL ${major} database.`,
    'Restore it from a backup, or move that folder away to begin with an empty database.',
  )
}

/** PostgreSQL refuses to run as root: then it runs as the owner of the data, else as a user of its own. */
async function chooseIdentity(paths: string[], say: (text: string) => void): Promise<Identity> {
  if (process.getuid?.() !== 0) return {}
  for (const path of paths) {
    const { uid, gid } = await stat(path)
    if (uid !== 0) return { uid, gid }
  }
  return databaseUser(say)
}

/** Lets the database user traverse the data folder without listing it. */
async function openDataFolder(folder: string, identity: Identity): Promise<void> {
  if (identity.uid === undefined) return
  const { mode, uid } = await stat(folder)
  if (uid === 0 && (mode & 0o011) !== 0o011) await chmod(folder, (mode & 0o7777) | 0o011)
}

function unreachable(path: string, barrier: string, { uid }: Identity): StartError {
  return new StartError(
    `PostgreSQL runs as user id ${uid}, which can’t reach ${path}: it has no access to ${barrier}.`,
    `Give it access: chmod o+x '${barrier}' — or set PORTICO_DATA to a folder that user can reach.`,
  )
}

function digest(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 8)
}
