import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasCode } from './fingerprint.mjs'
import { cache } from './paths.mjs'

const lock = join(cache, 'setup.lock')
const heartbeat = 5_000
const silence = 60_000

/**
 * One process prepares the checkout, others wait for it. The lock is a folder that contains its owner's name. It is taken by
 * renaming onto nothing or an empty folder, and a dead owner is removed by name, so two processes that break a stale lock
 * can't break each other's.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withSetupLock(work) {
  const mine = join(cache, `setup-${process.pid}`)
  mkdirSync(mine, { recursive: true })
  const owner = `${process.pid}@${hostname()}`
  writeFileSync(join(mine, owner), '')
  try {
    await take(mine)
    const beat = setInterval(() => utimesSync(join(lock, owner), new Date(), new Date()), heartbeat)
    try {
      return await work()
    } finally {
      clearInterval(beat)
      rmSync(join(lock, owner), { force: true })
      removeIfEmpty(lock)
    }
  } finally {
    rmSync(mine, { recursive: true, force: true })
  }
}

/** @param {string} mine */
async function take(mine) {
  let waiting = false
  while (!tryRename(mine)) {
    const alive = removeDead()
    if (alive && !waiting) {
      waiting = true
      process.stderr.write(`Waiting for process ${alive}, which is preparing this checkout…\n`)
    }
    await pause(alive ? 500 : 10)
  }
}

/** @param {string} mine */
function tryRename(mine) {
  try {
    renameSync(mine, lock)
    return true
  } catch (error) {
    // Windows reports EPERM for a folder that isn't empty.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].some((code) => hasCode(error, code))) return false
    throw error
  }
}

/** The living owner's name, after dead ones are gone. */
function removeDead() {
  const dead = owners().filter((owner) => !isAlive(owner))
  for (const owner of dead) rmSync(join(lock, owner), { force: true })
  removeIfEmpty(lock)
  return owners()[0]
}

function owners() {
  try {
    return readdirSync(lock)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** @param {string} owner */
function isAlive(owner) {
  const [pid = '', host] = owner.split('@')
  const age = Date.now() - (statSync(join(lock, owner), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age > silence) return false
  if (host !== hostname()) return true
  // In a restarted container this process may have its predecessor's pid.
  if (Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** @param {string} folder */
function removeIfEmpty(folder) {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => hasCode(error, code))) throw error
  }
}
