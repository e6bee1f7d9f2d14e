import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnBound } from '../../server/test/spawn-bound.ts'
import type { History } from '../history/history.ts'
import { heldBy } from './held-by.ts'
import type { Part } from './part.ts'

/** Settings in the developer’s environment must not reach the program. */
const PLAIN = Object.fromEntries(['PATH', 'HOME', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]))
/** The level of pino from which on a line is recorded. */
const ERROR = 50
/** How much of the output is kept for the report of an unexpected end. */
const OUTPUT_KEPT = 4000
/**
 * How often it is started again if it ends before it serves, and how long each start may take, in milliseconds: without what
 * hinders it, and with that.
 */
const ATTEMPTS = 5
const START_WITHIN = 180_000
const START_WITHIN_IF_HINDERED = 900_000
/**
 * In milliseconds: how long it may take to say that it is ready. Node accepts one connection in each turn of its event loop, so on a
 * busy machine those that come back after a restart may be in front of this one for a minute.
 */
const ANSWERS_WITHIN = 3000
const ANSWERS_WITHIN_IF_HINDERED = 60_000

interface ProgramOptions {
  readonly name: string
  /** The folder of the source code. */
  readonly checkout: string
  readonly port: number
  /** For its temporary files. */
  readonly folder: string
  readonly settings: Readonly<Record<string, string>>
  readonly history: History
  /** What must never be in the log. */
  readonly secrets: () => Iterable<string>
  /** The faults that are happening. Without the database, for example, it can’t start. */
  readonly underWay: ReadonlySet<string>
}

/**
 * `portico start`, as an operator runs it. Its log is read. If it ends by itself, that is recorded, and it is started again, as
 * a service manager does.
 */
export class Program implements Part {
  readonly kind = 'portico'
  readonly name: string
  readonly #options: ProgramOptions
  #child: ChildProcess | undefined
  #isExpectedToEnd = false
  #isStopping = false
  #starting: Promise<void> | undefined
  #output = ''
  readonly #setUpCode = Promise.withResolvers<string>()

  constructor(options: ProgramOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Printed at each start, as long as there is no administrator. */
  get setUpCode(): Promise<string> {
    return this.#setUpCode.promise
  }

  get hasEnded(): boolean {
    return !this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** After a fault of its own, which is still under way. */
  startAgain(): Promise<void> {
    return this.#startOnce(1)
  }

  /** Starts it, and kills it after this time: perhaps while it creates or migrates the database. */
  async startAndKill(milliseconds: number): Promise<void> {
    await this.#launch()
    await sleep(milliseconds)
    await this.kill()
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

  /** What it lost is there again. */
  mayNotEnd(): void {
    if (!this.hasEnded) this.#isExpectedToEnd = false
  }

  async ended(): Promise<void> {
    if (this.#child && !this.hasEnded) await once(this.#child, 'exit')
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await this.#end('SIGTERM')
  }

  /** Handles, threads, memory and temporary files of the process. */
  async held(): Promise<Record<string, number>> {
    const temporary = await readdir(this.#temporary, { recursive: true }).catch(() => [])
    return { ...(await heldBy(this.name, this.#child?.pid ?? 0)), [`${this.name}: temporary files`]: temporary.length }
  }

  get #temporary(): string {
    return join(this.#options.folder, `temporary-${this.name}`)
  }

  #startOnce(ownFaults: number): Promise<void> {
    this.#starting ??= this.#start(ownFaults).finally(() => (this.#starting = undefined))
    return this.#starting
  }

  async #start(ownFaults: number): Promise<void> {
    const { underWay, history } = this.#options
    const isHindered = (): boolean => underWay.size > ownFaults || history.isMachineBusy
    for (let attempt = 1; !this.#isStopping; attempt += 1) {
      await this.#launch()
      if (await this.#serves(isHindered)) return
      if (this.#isStopping) return
      // Another fault, or a busy machine, may be why it can’t start yet.
      if (!isHindered()) {
        if (attempt === ATTEMPTS) throw new Error(`${this.name} can’t be started:\n${this.#output}`)
        this.#recordEnd()
      }
      await sleep(1000)
    }
  }

  async #launch(): Promise<void> {
    const { checkout, port, settings } = this.#options
    await mkdir(this.#temporary, { recursive: true })
    this.#isExpectedToEnd = true
    this.#output = ''
    const child = spawnBound(process.execPath, [join(checkout, 'server/src/main.ts'), 'start'], {
      env: {
        ...PLAIN,
        TMPDIR: this.#temporary,
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
      // It stops its database as well.
      endedBy: 'INT',
    })
    this.#child = child
    child.once('exit', () => void this.#onExit(child))
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#onLine(line))
    }
  }

  /** False if it ends before. */
  async #serves(isHindered: () => boolean): Promise<boolean> {
    let [hindered, unhindered, last] = [0, 0, performance.now()]
    while (!this.hasEnded) {
      if (await this.#isReady(isHindered() ? ANSWERS_WITHIN_IF_HINDERED : ANSWERS_WITHIN)) {
        this.#isExpectedToEnd = false
        return true
      }
      const now = performance.now()
      if (isHindered()) hindered += now - last
      else unhindered += now - last
      last = now
      if (unhindered > START_WITHIN || hindered > START_WITHIN_IF_HINDERED) {
        const seconds = Math.round((hindered + unhindered) / 1000)
        throw new Error(`${this.name} doesn’t serve ${seconds} s after its start:\n${this.#output}`)
      }
      await sleep(100)
    }
    return false
  }

  async #isReady(timeout: number): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(timeout)
      const { ok } = await fetch(`http://127.0.0.1:${this.#options.port}/readyz`, { signal })
      return ok
    } catch {
      return false
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    this.#isExpectedToEnd = true
    if (!this.#child || this.hasEnded) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    // A frozen process takes no other signal.
    this.#child.kill('SIGCONT')
    await ended
  }

  async #onExit(child: ChildProcess): Promise<void> {
    if (this.#isExpectedToEnd || child !== this.#child) return
    this.#recordEnd()
    await this.#startOnce(0).catch(() => undefined)
  }

  #recordEnd(): void {
    const { exitCode: code = null, signalCode: signal = null } = this.#child ?? {}
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
