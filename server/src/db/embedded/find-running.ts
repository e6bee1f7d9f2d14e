import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { type Connection, connectionTo } from './connection.ts'
import { isForbidden, isMissing } from './file-errors.ts'
import { readPassword } from './password.ts'
import { findClusters } from './place.ts'
import { findPostmaster } from './postmaster.ts'

/** How to connect to the database of a running Portico, for commands that work alongside it. */
export async function findRunning(dataDir: string): Promise<Connection | undefined> {
  try {
    for (const { path } of await findClusters(await realpath(dataDir))) {
      for (let waited = 0; waited < 30_000; waited += 100) {
        const postmaster = await findPostmaster(path)
        if (!postmaster) break
        // A server started by an older Portico has no password yet.
        if (postmaster.ready) return connectionTo(postmaster, (await readPassword(dataDir)) ?? '')
        await sleep(100)
      }
    }
    return undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    if (!isForbidden(error)) throw error
    throw new StartError(
      `This user isn’t allowed to open the data folder ${dataDir}.`,
      'Run this command as the user who runs Portico, or as root.',
      { cause: error },
    )
  }
}
