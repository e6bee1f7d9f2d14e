import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** The user that PostgreSQL runs as; empty: the user who runs Portico. */
export interface Identity {
  uid?: number
  gid?: number
}

/** Removes the caller's PG… variables, and forces English messages, which are matched. */
export const programEnvironment = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], LC_ALL: 'C' }

interface Run {
  identity?: Identity
  input?: string
}

/** Runs a program to its end. Rejects only when it could not be started at all. */
export async function runProgram(file: string, args: string[], { identity = {}, input = '' }: Run = {}) {
  const child = spawn(file, args, { ...identity, cwd: '/', env: programEnvironment, stdio: 'pipe', windowsHide: true })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  // A program that exits before reading its input breaks the pipe; its exit code is what counts.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [end, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { ok: end.code === 0, output: `${stdout}${stderr}`.trim(), ...end }
}
