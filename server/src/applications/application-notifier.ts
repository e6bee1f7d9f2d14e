import type { ApplicationSubject } from '@portico/contract'
import type { Bus } from '../events/bus.ts'
import { Throttle } from '../events/throttle.ts'
import type { Log } from '../telemetry/log.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly applicationNotifier: ApplicationNotifier
  }
}

/** In milliseconds: owners are notified no more often than this. */
const PAUSE = 300
/** More don't fit into one notification. */
const MOST_NAMED = 80

/** Applications with the subjects that changed, as sent between the processes of a portal. */
export type ApplicationChanges = readonly (readonly [applicationId: string, subjects: readonly ApplicationSubject[]])[]

/**
 * Publishes changes of applications to all processes; those with an open portal of the owner pass them on. Nothing is
 * stored: a portal that opens reads everything anyway.
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
      (error) => log.warn({ err: error }, 'notifying application owners failed'),
    )
  }

  /** Call it after the commit: receivers read the change immediately. */
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
