import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Connection } from '../src/db/embedded/connection.ts'
import { killQuietly } from './signal-server.ts'

interface Reports {
  progress?: string
  ready?: { connection: Connection; pid: number; cluster: string }
  error?: { message: string; hint: string }
  exit?: string
  acknowledged?: number
}

interface Options {
  uid?: number
  /** Write rows from this number on. */
  writeFrom?: number
}

/** Starts database-program.ts in its own process group. It is killed at the end of the test. */
export function databaseProcess(dataDir: string, { uid, writeFrom }: Options = {}) {
  const program = join(import.meta.dirname, 'database-program.ts')
  const child = spawn(process.execPath, [program, dataDir, ...(writeFrom === undefined ? [] : [String(writeFrom)])], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const reports: Reports[] = []
  const lines = createInterface({ input: child.stdout }).on('line', (line) => reports.push(JSON.parse(line)))
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => child.exitCode)

  /** Waits for a report of this name; fails if the process exits without it. */
  async function waitFor<Name extends keyof Reports>(name: Name): Promise<NonNullable<Reports[Name]>> {
    for (let hasExited = false; ;) {
      for (const { [name]: value } of reports) if (value !== undefined && value !== null) return value
      if (hasExited) throw new Error(`exited without "${name}" after ${JSON.stringify(reports.slice(-3))} ${stderr}`)
      hasExited = await Promise.race([once(lines, 'line').then(() => false), ended.then(() => true)])
    }
  }

  function kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, signal)
  }

  async function stop(): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    return ended
  }

  onTestFinished(async () => {
    kill()
    await ended
    const pid = reports.find(({ ready }) => ready)?.ready?.pid
    if (pid !== undefined) killQuietly(pid)
  })
  return { waitFor, kill, stop, ended, reports, child }
}
