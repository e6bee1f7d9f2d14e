import { existsSync } from 'node:fs'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { lockFolder } from '../src/db/embedded/folder-lock.ts'
import { startEmbedded } from '../src/db/embedded/start-embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/open-database.ts'
import { MIGRATIONS } from '../src/db/open-storage.ts'
import { StartError } from '../src/db/start-error.ts'
import { dataFolder } from './data-folder.ts'
import { silentLog } from './silent-log.ts'

/**
 * The path of a data folder with an embedded database that is migrated and not running, for tests that aren't about the first
 * start. It contains no secret yet. Deleted after the test.
 */
export async function preparedDataFolder(): Promise<string> {
  const path = await dataFolder()
  await cp(await provideOriginal(inject('preparedFolder')), path, { recursive: true })
  return path
}

/** The folder that is copied. The first worker that needs it creates it, while others wait. */
async function provideOriginal(folder: string): Promise<string> {
  const original = join(folder, 'data')
  while (!existsSync(original)) {
    const lock = tryLock(folder)
    try {
      if (!lock) await sleep(100)
      else if (!existsSync(original)) await create(original)
    } finally {
      lock?.release()
    }
  }
  return original
}

function tryLock(folder: string): { release: () => void } | undefined {
  try {
    return lockFolder(folder)
  } catch (error) {
    if (error instanceof StartError) return undefined
    throw error
  }
}

async function create(original: string): Promise<void> {
  const draft = `${original}.draft`
  const { connection, stop } = await startEmbedded({ dataDir: draft, log: silentLog, settings: { fsync: 'off' } })
  try {
    const database = await openDatabase({ connection, log: silentLog })
    await migrate(database.pool, MIGRATIONS, silentLog)
    await database.close()
  } finally {
    await stop()
  }
  for (const name of ['portico.lock', 'portico.pid', 'postgres.log', 'run']) {
    await rm(join(draft, name), { recursive: true, force: true })
  }
  await rename(draft, original)
}
