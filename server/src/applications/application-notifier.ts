import type { ApplicationSubject } from '@portico/contract'
import type { Bus } from '../events/bus.ts'
import { Throttle } from '../events/throttle.ts'
import type { Log } from '../telemetry/log.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly applicationNotifier: ApplicationNotifier
  }
}

/** In milliseconds: however much a bot does, its owner is told no more often. */
const PAUSE = 300
/** More do not fit into one word. */
const MOST_NAMED = 80

/** Applications, each with what changed of it: what the processes of a portal hand each other. */
export type ApplicationChanges = readonly (readonly [applicationId: string, subjects: readonly ApplicationSubject[]])[]

/**
 * What changes of applications by itself, told to all processes: whichever has a portal of the owner open passes it on.
 * Nothing is kept, and a portal that opens reads everything anyway.
 */
export class ApplicationNotifier {
  readonly #bus: Bus
  readonly #telling: Throttle
  readonly #noted = new Map<string, Set<ApplicationSubject>>()

  constructor(bus: Bus, log: Log) {
    this.#bus = bus
    this.#telling = new Throttle(
      PAUSE,
      () => this.#tell(),
      (error) => log.warn({ err: error }, 'owners of applications could not be told what changed'),
    )
  }

  /** Called when it is committed: whoever is told reads it at once. */
  notify(applicationId: string, subject: ApplicationSubject): void {
    const subjects = this.#noted.get(applicationId)
    if (subjects?.has(subject)) return
    if (subjects) subjects.add(subject)
    else this.#noted.set(applicationId, new Set([subject]))
    this.#telling.trigger()
  }

  stop(): Promise<void> {
    return this.#telling.stop()
  }

  async #tell(): Promise<void> {
    const news: ApplicationChanges = [...this.#noted].map(([applicationId, subjects]) => [applicationId, [...subjects]])
    this.#noted.clear()
    for (let next = 0; next < news.length; next += MOST_NAMED) {
      await this.#bus.publish('applications', JSON.stringify(news.slice(next, next + MOST_NAMED)))
    }
  }
}
