import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { eventually } from '../../server/test/eventually.ts'

export interface RunningProgram {
  /** Ends it with SIGKILL, and waits until it has ended. */
  kill(): Promise<unknown>
}

/** A bot in a process of its own, once it has printed `started`. Killed after the test. */
export async function startProgram(path: string, ...args: readonly string[]): Promise<RunningProgram> {
  const child = spawn(process.execPath, ['--no-warnings', path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'exit')
  await eventually(() => output).toContain('started')
  return { kill: async () => (child.kill('SIGKILL'), ended) }
}
