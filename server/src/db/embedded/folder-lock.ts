import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../start-error.ts'
import { isMissing } from './file-errors.ts'

const sqliteBusy = 5
const sqliteForbidden = new Set([8, 14])

/**
 * Prevents a second Portico on the data folder. Node has no file locks, but SQLite does: the kernel releases the lock when
 * its holder dies, so a stale lock file never blocks the next start.
 */
export function lockFolder(dataDir: string): { release: () => void } {
  const lock = tryLock(dataDir)
  if (!lock) {
    throw new StartError(
      `Another Portico is already running on the data folder ${dataDir} (process ${holderOf(dataDir) ?? 'unknown'}).`,
      'Stop that one first, or give this one a data folder of its own with PORTICO_DATA.',
    )
  }
  chmodSync(join(dataDir, 'portico.lock'), 0o600)
  writeFileSync(join(dataDir, 'portico.pid'), `${process.pid}\n`, { mode: 0o600 })
  return { release: () => lock.close() }
}

/** Whether another process runs Portico on this data folder. */
export function isHeldElsewhere(dataDir: string): boolean {
  if (!existsSync(join(dataDir, 'portico.lock'))) return false
  const lock = tryLock(dataDir)
  lock?.close()
  return !lock && holderOf(dataDir) !== process.pid
}

function tryLock(dataDir: string): DatabaseSync | undefined {
  const file = join(dataDir, 'portico.lock')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
    if (code === sqliteBusy) return undefined
    if (!sqliteForbidden.has(code)) throw error
    throw new StartError(
      `The data folder can’t be locked: ${file} isn’t writable.`,
      'Make the user who runs Portico the owner of the data folder and everything in it.',
      { cause: error },
    )
  }
}

/** The holder's pid; unknown between taking the lock and writing it. */
function holderOf(dataDir: string): number | undefined {
  try {
    return Number(readFileSync(join(dataDir, 'portico.pid'), 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
