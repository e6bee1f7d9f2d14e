import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { type Connection, connectionTo } from './connection.ts'
import { isForbidden, isMissing } from './file-errors.ts'
import { readPassword } from './password.ts'
import { findClusters } from './place.ts'
import { findPostmaster } from './postmaster.ts'

/** How to reach the database of a Portico that runs on this data folder now, for commands that work beside it. */
export async function findRunning(dataDir: string): Promise<Connection | undefined> {
  try {
    for (const { path } of await findClusters(await realpath(dataDir))) {
      for (let waited = 0; waited < 30_000; waited += 100) {
        const postmaster = await findPostmaster(path)
        if (!postmaster) break
        // A server that an older Portico started has no password yet.
        if (postmaster.ready) return connectionTo(postmaster, (await readPassword(dataDir)) ?? '')
        await sleep(100)
      }
    }
    return undefined
  } catch (error) {
    if (isMissing(error)) return undefined
    if (!isForbidden(error)) throw error
    throw new StartError(
      `The data folder ${dataDir} is closed to this user.`,
      'Run this command as the user who runs Portico, or as root.',
      { cause: error },
    )
  }
}
