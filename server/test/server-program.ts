import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections } from './accepts-connections.ts'

/** A server of another project that a test starts, silences, kills and starts again. It listens on one port. */
export class ServerProgram {
  readonly port: number
  readonly #run: () => ChildProcess
  #running: ChildProcess

  constructor(port: number, run: () => ChildProcess) {
    this.port = port
    this.#run = run
    this.#running = run()
  }

  /** SIGSTOP makes it silent, and SIGCONT lets it go on. */
  signal(name: NodeJS.Signals): void {
    this.#running.kill(name)
  }

  async kill(): Promise<void> {
    if (this.#running.exitCode !== null || this.#running.signalCode !== null) return
    const ended = once(this.#running, 'exit')
    this.#running.kill('SIGKILL')
    await ended
  }

  async startAgain(): Promise<void> {
    this.#running = this.#run()
    await this.answers()
  }

  async answers(): Promise<void> {
    while (!(await acceptsConnections(this.port))) {
      const { exitCode, spawnfile } = this.#running
      if (exitCode !== null) throw new Error(`${spawnfile} ended with ${exitCode}`)
      await sleep(20)
    }
  }
}
