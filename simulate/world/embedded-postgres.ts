import { findRunning } from '../../server/src/db/embedded/find-running.ts'
import { findClusters } from '../../server/src/db/embedded/place.ts'
import { findPostmaster } from '../../server/src/db/embedded/postmaster.ts'
import { signalServer } from '../../server/test/signal-server.ts'
import type { Part } from './part.ts'
import type { Program } from './program.ts'

/** The PostgreSQL that a single Portico runs itself. Without it the program ends, and a service manager starts both again. */
export class EmbeddedPostgres implements Part {
  readonly kind = 'postgres'
  readonly name = 'postgres'
  readonly group = 'portico'
  readonly #dataFolder: string
  readonly #program: Program

  constructor(dataFolder: string, program: Program) {
    this.#dataFolder = dataFolder
    this.#program = program
  }

  freeze(): Promise<void> {
    return this.#signal('SIGSTOP')
  }

  resume(): Promise<void> {
    return this.#signal('SIGCONT')
  }

  async kill(): Promise<void> {
    this.#program.mayEnd()
    await this.#signal('SIGKILL')
  }

  async startAgain(): Promise<void> {
    await this.#program.ended()
    await this.#program.startAgain()
  }

  /** How to connect to it, as the commands do that work alongside the program. */
  async connection() {
    const connection = await findRunning(this.#dataFolder)
    if (!connection) throw new Error('the embedded PostgreSQL isn’t running')
    return connection
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    for (const { path } of await findClusters(this.#dataFolder)) {
      const postmaster = await findPostmaster(path)
      if (postmaster) await signalServer(postmaster.pid, signal)
    }
  }
}
