import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from '../start-fault.ts'

const sqliteBusy = 5

/**
 * Keeps a second Portico off the data folder. Node offers no file locks, SQLite takes a real one: the kernel drops it
 * the moment its holder dies, however it dies, so a left-over lock file never blocks the next start.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const lock = new DatabaseSync(join(dataDir, 'portico.lock'), { timeout: 0 })
  const holder = join(dataDir, 'portico.pid')
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy)) throw error
    throw new StartFault(
      `Another Portico is already running on the data folder ${dataDir}${named(holder)}.`,
      'Stop that one first, or give this one a data folder of its own with PORTICO_DATA.',
      { cause: error },
    )
  }
  chmodSync(join(dataDir, 'portico.lock'), 0o600)
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 })
  return { release: () => lock.close() }
}

function named(holder: string): string {
  try {
    return ` (process ${readFileSync(holder, 'utf8').trim()})`
  } catch {
    return ''
  }
}
