import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnBound } from '../../server/test/spawn-bound.ts'
import type { History } from '../history.ts'
import type { Part } from './part.ts'

/** Settings in the developer’s environment must not reach the program. */
const PLAIN = Object.fromEntries(
  ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]),
)
/** The level of pino from which on a line is recorded. */
const ERROR = 50
/** How much of the output is kept for the report of an unexpected end. */
const OUTPUT_KEPT = 4000

interface ProgramOptions {
  readonly name: string
  /** The folder of the source code. */
  readonly checkout: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  readonly history: History
  /** What must never be in the log. */
  readonly secrets: () => Iterable<string>
}

/** `portico start`, as an operator runs it. Its log is read, and its end is recorded if nobody caused it. */
export class Program implements Part {
  readonly name: string
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined
  #isExpectedToEnd = false
  #output = ''
  readonly #setUpCode = Promise.withResolvers<string>()

  constructor(options: ProgramOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Printed at the first start. */
  get setUpCode(): Promise<string> {
    return this.#setUpCode.promise
  }

  async startAgain(): Promise<void> {
    const { checkout, port, settings } = this.#options
    this.#isExpectedToEnd = false
    this.#output = ''
    const child = spawnBound(process.execPath, [join(checkout, 'server/src/main.ts'), 'start'], {
      env: {
        ...PLAIN,
        HOST: '127.0.0.1',
        PORT: String(port),
        HTTPS_PORT: 'off',
        LOG_FORMAT: 'json',
        // All people of the simulation share one address.
        RATE_LIMIT_FACTOR: '10000',
        ...settings,
      },
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    child.once('exit', (code, signal) => this.#onExit(code, signal))
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#onLine(line))
    }
    while (!(await this.#isReady())) {
      if (child.exitCode !== null || child.signalCode !== null) {
        if (this.#isExpectedToEnd) return
        throw new Error(`${this.name} ended before it served:\n${this.#output}`)
      }
      await sleep(50)
    }
  }

  async freeze(): Promise<void> {
    this.#child?.kill('SIGSTOP')
  }

  async resume(): Promise<void> {
    this.#child?.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** It is about to lose what it can’t work without. */
  mayEnd(): void {
    this.#isExpectedToEnd = true
  }

  async ended(): Promise<void> {
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** Handles and memory of the process. */
  async held(): Promise<Record<string, number>> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8')
    const descriptors = await readdir(`/proc/${this.pid}/fd`)
    return {
      [`${this.name}: descriptors`]: descriptors.length,
      [`${this.name}: threads`]: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
      [`${this.name}: resident MB`]: Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024),
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const { ok } = await fetch(`http://127.0.0.1:${this.#options.port}/readyz`, { signal: AbortSignal.timeout(3000) })
      return ok
    } catch {
      return false
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    this.#isExpectedToEnd = true
    const ended = once(child, 'exit')
    child.kill(signal)
    // A frozen process takes no other signal.
    child.kill('SIGCONT')
    await ended
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#isExpectedToEnd) return
    this.#options.history.add({ kind: 'ended', process: this.name, code, signal, output: this.#output })
  }

  #onLine(line: string): void {
    this.#output = `${this.#output}${line}\n`.slice(-OUTPUT_KEPT)
    const code = /set-up\?code=(\w+)/.exec(line)?.[1]
    if (code !== undefined) this.#setUpCode.resolve(code)
    const { history, secrets, name } = this.#options
    for (const secret of secrets()) {
      if (line.includes(secret)) history.add({ kind: 'log', process: name, line, secret: true })
    }
    if (levelOf(line) >= ERROR) history.add({ kind: 'log', process: name, line })
  }
}

function levelOf(line: string): number {
  if (!line.startsWith('{')) return 0
  const { level } = JSON.parse(line) as { level?: number }
  return level ?? 0
}
