import { readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isForbidden, isMissing } from '../src/db/embedded/file-errors.ts'
import { isHeldElsewhere } from '../src/db/embedded/folder-lock.ts'
import { findPostmaster } from '../src/db/embedded/postmaster.ts'

/** Stops and removes servers left behind by killed test runs. */
export async function sweepAbandoned(prefix: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    try {
      // A run that has just started has its folder before its lock.
      const { mtimeMs, uid } = await stat(folder)
      if (uid !== process.getuid?.() || Date.now() - mtimeMs < 60_000 || isHeldElsewhere(folder)) continue
      const server = await findPostmaster(join(folder, 'pg18'))
      if (server) await endPostmaster(join(folder, 'pg18'), server.pid)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      // Another run may be sweeping too, or the folder belongs to another user.
      if (!isMissing(error) && !isForbidden(error)) throw error
    }
  }
}

/** Stops it with SIGTERM: a killed server would leave its shared memory behind. */
async function endPostmaster(cluster: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  for (let waited = 0; waited < 10_000 && (await findPostmaster(cluster)); waited += 100) await sleep(100)
  if (await findPostmaster(cluster)) process.kill(pid, 'SIGKILL')
}
