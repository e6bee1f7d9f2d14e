import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { TestServer } from './start-server.ts'

const root = join(import.meta.dirname, '../..')

/** Settings in the developer's environment must not reach the tested processes. */
const plain = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]),
)

/** The settings of a running test server, for commands that work alongside it. */
export function settingsOf({ url, services: { config } }: TestServer): Record<string, string> {
  const { DATABASE_URL, PORTICO_DATA, HOST } = config
  return { DATABASE_URL: DATABASE_URL ?? '', PORTICO_DATA, HOST, PORT: new URL(url).port }
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `portico …` until it exits, with this text as its standard input. */
export async function portico(args: string[], settings: Record<string, string>, input = ''): Promise<Ended> {
  const child = launch(args, settings)
  child.stdin.end(input)
  return child.ended
}

/** Starts `portico start` and waits until it serves. Stopped after the test. */
export async function startPortico(settings: Record<string, string>, options: LaunchOptions = {}) {
  const child = launch(['start'], { HOST: '127.0.0.1', PORT: '0', ...settings }, options)
  const url = await child.said(/Portal +(http\S+)/)
  return { ...child, url }
}

interface LaunchOptions {
  /** A command that runs it, such as `ip netns exec …`. */
  readonly through?: readonly string[]
  /** The checkout whose program is started. By default this one. */
  readonly checkout?: string
  /** When it is stopped. By default after the test. */
  readonly atEnd?: (stop: () => Promise<void>) => void
}

/** Starts `portico …`. */
export function launch(args: string[], settings: Record<string, string>, options: LaunchOptions = {}) {
  const { through = [], checkout = root, atEnd = onTestFinished } = options
  // Programs that run at the same time would compete for these ports.
  const env = { ...plain, MEDIA: 'off', HTTPS_PORT: 'off', ...settings }
  const [command = '', ...rest] = [...through, process.execPath, join(checkout, 'server/src/main.ts'), ...args]
  const child = spawn(command, rest, { env, cwd: '/' })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  // The pipe breaks if the program exits without reading its input.
  child.stdin.on('error', () => {})
  const ended = once(child, 'close').then((): Ended => ({ code: child.exitCode, stdout, stderr }))

  /** Waits for a line on standard output, and returns its first group. */
  async function said(pattern: RegExp): Promise<string> {
    let over = false
    void ended.then(() => (over = true))
    for (;;) {
      const found = pattern.exec(stdout)
      if (found) return found[1] ?? found[0]
      if (over) throw new Error(`ended without saying ${pattern}:\n${stdout}\n${stderr}`)
      await sleep(20)
    }
  }

  /** Stops it and waits until it has exited. */
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    child.kill(signal)
    return ended
  }

  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await ended
  })
  return { ended, said, stop, kill: child.kill.bind(child), stdin: child.stdin, output: () => stdout + stderr }
}
