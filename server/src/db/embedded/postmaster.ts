import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../start-error.ts'
import { isMissing } from './file-errors.ts'
import { runProgram } from './run-program.ts'

/** The contents of `postmaster.pid`. */
export interface Postmaster {
  pid: number
  folder: string
  port: number
  socketDir: string
  ready: boolean
}

export async function readPostmaster(cluster: string): Promise<Postmaster | undefined> {
  let content: string
  try {
    content = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  const [pid, folder = '', , port, socketDir = '', , , status = ''] = content.split('\n')
  if (!Number(pid)) return undefined
  return { pid: Math.abs(Number(pid)), folder, port: Number(port), socketDir, ready: status.trim() === 'ready' }
}

/** The server that runs on this cluster. A pid file proves nothing: the pid may belong to another process by now. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const recorded = await readPostmaster(cluster)
  return recorded && (await runsOn(cluster, recorded)) ? recorded : undefined
}

async function runsOn(cluster: string, recorded: Postmaster): Promise<boolean> {
  if (process.platform === 'linux') {
    try {
      // The server's working directory is its cluster, even if that was moved. The pid file of a copied cluster names the
      // server of the original, which must not be stopped.
      return await isSameFolder(`/proc/${recorded.pid}/cwd/.`, cluster)
    } catch (error) {
      if (isMissing(error)) return false
      // Root without CAP_SYS_PTRACE, as in most containers, can't read it; the command line is readable by all.
    }
  }
  const command = await commandOf(recorded.pid)
  if (!command.includes('postgres')) return false
  if (process.platform !== 'win32' && !command.includes(`-D ${recorded.folder}`)) return false
  try {
    return await isSameFolder(recorded.folder, cluster)
  } catch (error) {
    if (!isMissing(error)) throw error
    throw new StartError(
      `PostgreSQL process ${recorded.pid} may still be working on ${cluster}, which was moved from ${recorded.folder}.`,
      `End it with: kill -INT ${recorded.pid} — then start again.`,
      { cause: error },
    )
  }
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([stat(one), stat(other)])
  return a.ino === b.ino && a.dev === b.dev
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    try {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    } catch (error) {
      if (isMissing(error)) return ''
      throw error
    }
  }
  if (process.platform === 'win32') {
    return (await runProgram('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'])).output
  }
  return (await runProgram('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).output
}

/** Stops a server that a killed Portico left behind: its open transactions were never acknowledged to anyone. */
export async function stopPostmaster(cluster: string, left: Postmaster, pgCtl: string): Promise<void> {
  await requestStop(cluster, left.pid, pgCtl)
  const deadline = Date.now() + 60_000
  while (await runsOn(cluster, left)) {
    if (Date.now() > deadline) {
      throw new StartError(
        `PostgreSQL process ${left.pid}, left over from an earlier run, doesn’t stop.`,
        `End it with: kill -QUIT ${left.pid} — then start again; nothing acknowledged is lost.`,
      )
    }
    await sleep(20)
  }
}

/** Asks for a fast shutdown: open transactions roll back, the rest is written out. */
export async function requestStop(cluster: string, pid: number, pgCtl: string): Promise<void> {
  if (process.platform === 'win32') {
    await runProgram(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-W'])
    return
  }
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

/**
 * Call it only when no server runs on the cluster. PostgreSQL refuses to start if the pid in a stale file belongs to
 * another process of the same user, which is common in containers. If no process has the pid, the file stays: PostgreSQL
 * uses it to detect workers of the dead server that still hold shared memory.
 */
export async function clearStalePidFile(cluster: string): Promise<void> {
  const recorded = await readPostmaster(cluster)
  if (recorded && isTaken(recorded.pid)) await rm(join(cluster, 'postmaster.pid'), { force: true })
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return !isMissing(error)
  }
}
