import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '../start-error.ts'
import { findBarrier } from './reach.ts'
import type { Identity } from './run-program.ts'

export const socketPort = 5432
const longestPath = process.platform === 'linux' ? 107 : 103

/**
 * Creates an empty folder for the server's socket that only the database user may enter. It is next to the cluster, where
 * other commands find it, unless the path is too long for a socket or the file system has none.
 */
export async function makeSocketFolder(folder: string, identity: Identity): Promise<string> {
  const nextToCluster = join(folder, 'run')
  if (fits(nextToCluster)) {
    await mkdir(nextToCluster, { recursive: true })
    for (const name of await readdir(nextToCluster))
      await rm(join(nextToCluster, name), { recursive: true, force: true })
    await makePrivate(nextToCluster, identity)
    if (await carriesSockets(nextToCluster)) return nextToCluster
  }
  for (const parent of [tmpdir(), '/tmp']) {
    if (!fits(join(parent, 'portico-XXXXXX')) || (await findBarrier(parent, identity))) continue
    const temporary = await mkdtemp(join(parent, 'portico-'))
    await makePrivate(temporary, identity)
    return temporary
  }
  throw new StartError(
    `There is no folder for the database's socket: the path of ${nextToCluster} is too long, and so is ${tmpdir()}.`,
    'Set PORTICO_DATA to a folder with a shorter path.',
  )
}

/** Also removes a temporary folder of an earlier run; the one next to the cluster stays. */
export async function removeSocketFolder(socketDir: string): Promise<void> {
  if (/[\\/]portico-\w{6}$/.test(socketDir)) await rm(socketDir, { recursive: true, force: true })
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= longestPath
}

async function makePrivate(folder: string, { uid, gid }: Identity): Promise<void> {
  await chmod(folder, 0o700)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

async function carriesSockets(folder: string): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(join(folder, 'probe'))
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
