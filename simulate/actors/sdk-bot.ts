import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnBound } from '../../server/test/spawn-bound.ts'
import type { Actor, Entry, History, Timed } from '../history/history.ts'
import type { Random } from '../random/random.ts'
import type { Report, SdkBotSettings } from './sdk-bot-report.ts'

const PROGRAM = join(import.meta.dirname, 'sdk-bot-program.ts')
/** In milliseconds: how long nobody runs the bot after a crash. */
const DOWN = { from: 0, to: 5000 }
/** In milliseconds: as a supervisor, so that a bot that can’t start doesn’t start all the time. */
const PAUSE = 500
/** How much of the errors is recorded. */
const ERRORS_KEPT = 1000

interface SdkBotOptions {
  readonly actor: Actor
  readonly history: History
  readonly random: Random
  readonly settings: Omit<SdkBotSettings, 'name' | 'seed'>
  /** Whether a crash loses nothing: the stream has a position, the webhook hasn’t. */
  readonly mayCrash: boolean
}

/** A bot in a process of its own, written with the SDK. It is killed now and then, and started again. */
export class SdkBot {
  readonly actor: Actor
  readonly #options: SdkBotOptions
  #child: ChildProcess | undefined
  #process = 0
  #isOver = false
  #isKilled = false
  /** Resolves when the bot has ended for good. */
  #running = Promise.resolve()

  constructor(options: SdkBotOptions) {
    this.actor = options.actor
    this.#options = options
  }

  get id(): string {
    return this.actor.id
  }

  /** Runs the bot until `stop`, whatever happens to its process. */
  start(): void {
    this.#running = this.#run()
  }

  /** A crash, sometimes. */
  async step(): Promise<void> {
    const { mayCrash, random } = this.#options
    if (!mayCrash || random.chance(0.4)) return
    this.#isKilled = true
    this.#record({ kind: 'bot process', what: 'killed' })
    this.#child?.kill('SIGKILL')
  }

  async stop(): Promise<void> {
    this.#isOver = true
    this.#child?.kill('SIGKILL')
    await this.#running
  }

  async #run(): Promise<void> {
    const { random } = this.#options
    while (!this.#isOver) {
      await this.#runOnce()
      if (this.#isOver) return
      await sleep(this.#isKilled ? random.between(DOWN.from, DOWN.to) : PAUSE)
      this.#isKilled = false
    }
  }

  async #runOnce(): Promise<void> {
    const { actor, settings, random } = this.#options
    this.#process += 1
    const all: SdkBotSettings = { ...settings, name: actor.name, seed: String(random.next()) }
    const child = spawnBound(process.execPath, [PROGRAM], {
      env: { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: '', SDK_BOT: JSON.stringify(all) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const calls = new Map<number, number>()
    const lines = child.stdout && createInterface({ input: child.stdout })
    lines?.on('line', (line) => this.#receive(JSON.parse(line) as Report, calls))
    let errors = ''
    child.stderr?.on('data', (bytes: Buffer) => (errors = `${errors}${bytes.toString()}`.slice(-ERRORS_KEPT)))
    const [code] = (await once(child, 'close')) as [number | null]
    // It could not start, such as while the portal was down.
    if (code !== null && code !== 0) this.#record({ kind: 'bot process', what: 'ended', why: errors })
  }

  #receive(report: Report, calls: Map<number, number>): void {
    const { history } = this.#options
    const at = history.timeOf(report.at)
    if (report.kind === 'call') {
      const call = history.nextCall()
      calls.set(report.call, call)
      this.#record({ ...report, call }, at)
    } else if (report.kind === 'return' || report.kind === 'lost') {
      this.#record({ ...report, call: calls.get(report.call) ?? 0 }, at)
    } else this.#record(report, at)
  }

  #record(entry: object, at?: number): void {
    const { history, actor } = this.#options
    history.add({ ...entry, actor, process: this.#process } as unknown as Timed<Entry>, at)
  }
}
