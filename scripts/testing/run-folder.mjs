import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode } from '../bootstrap/fingerprint.mjs'

const PREFIX = 'portico-run-'
/** Names the test runner that a folder belongs to: its process, and when that was started, since numbers are used again. */
const OWNER = 'owner.json'
/** How long PostgreSQL and servers get for a clean end, after which no shared memory is left behind. */
const PATIENCE_MS = 15_000

/**
 * The temporary folder of one test run. Processes that mention it and files inside it belong to the run.
 * Open to all users, like the system's temporary folder: as root, the database runs as another user.
 */
export function makeRunFolder() {
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  writeFileSync(join(folder, OWNER), JSON.stringify({ pid: process.pid, started: startOf(process.pid) }))
  chmodSync(folder, 0o1777)
  return folder
}

/** Ends and removes what runs have left behind whose test runner was killed. Those of other users are theirs. */
export async function sweepAbandonedRuns() {
  for (const name of readdirSync(tmpdir())) {
    const folder = join(tmpdir(), name)
    if (name.startsWith(PREFIX) && isAbandoned(folder)) await removeRunFolder(folder)
  }
}

/**
 * Ends every process of a run, and removes its folder.
 * @param {string} folder
 */
export async function removeRunFolder(folder) {
  const deadline = Date.now() + PATIENCE_MS
  // For PostgreSQL, SIGINT is a fast but clean shutdown; SIGTERM would wait for its clients.
  for (const { pid, isDatabase } of processesOf(folder)) signal(pid, isDatabase ? 'SIGINT' : 'SIGTERM')
  while (processesOf(folder).length > 0 && Date.now() < deadline) await sleep(100)
  for (const { pid } of processesOf(folder)) signal(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}

/** @param {string} folder */
function isAbandoned(folder) {
  try {
    if (statSync(folder).uid !== process.getuid?.()) return false
    const { pid, started } = JSON.parse(readFileSync(join(folder, OWNER), 'utf8'))
    return startOf(pid) !== started
  } catch (error) {
    // It was just created, or another run removes it too.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return false
    throw error
  }
}

/**
 * Processes whose command line or environment mentions the folder. Without /proc none is found, and tests have to stop their
 * own.
 * @param {string} folder
 * @returns {{ pid: number, isDatabase: boolean }[]}
 */
function processesOf(folder) {
  if (!existsSync('/proc/self/cmdline')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      const command = read(`/proc/${name}/cmdline`)
      if (!command.includes(folder) && !read(`/proc/${name}/environ`).includes(folder)) return []
      return [{ pid: Number(name), isDatabase: /^[^\0]*postgres\0-D\0/.test(command) }]
    })
}

/**
 * When a process was started, in kernel ticks; undefined if it doesn't exist.
 * @param {number} pid
 * @returns {string | undefined}
 */
function startOf(pid) {
  if (!existsSync('/proc/self/stat')) return isAlive(pid) ? 'unknown' : undefined
  // The program's name, which may contain anything, is in brackets before the other fields.
  return read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ')[19]
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/**
 * Empty if the process is gone or belongs to another user.
 * @param {string} path
 */
function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => hasCode(error, code))) return ''
    throw error
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    // It has already ended, or belongs to another user.
    if (!hasCode(error, 'ESRCH') && !hasCode(error, 'EPERM')) throw error
  }
}
