import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { Connection } from '../src/db/embedded/connection.ts'

interface Reports {
  progress?: string
  ready?: { connection: Connection; pid: number; cluster: string }
  fault?: { message: string; hint: string }
  exit?: string
  acknowledged?: number
}

interface Options {
  uid?: number
  /** Write rows from this number on. */
  writeFrom?: number
}

/** Starts database-program.ts in a process group of its own; what a test leaves running ends with the test. */
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
  let complaints = ''
  child.stderr.on('data', (chunk) => (complaints += String(chunk)))
  const ended = Promise.all([once(child, 'close'), once(lines, 'close')]).then(() => child.exitCode)

  /** Waits until the program has reported that name; fails when the process ends without it. */
  async function hear<Name extends keyof Reports>(name: Name): Promise<NonNullable<Reports[Name]>> {
    for (let over = false; ;) {
      for (const { [name]: value } of reports) if (value !== undefined && value !== null) return value
      if (over)
        throw new Error(`ended without "${name}", having reported ${JSON.stringify(reports.slice(-3))} ${complaints}`)
      over = await Promise.race([once(lines, 'line').then(() => false), ended.then(() => true)])
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
  return { hear, kill, stop, ended, reports, child }
}

export function killQuietly(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It had ended already.
  }
}
