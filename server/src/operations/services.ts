import type { ApplicationNotifier } from '../applications/application-notifier.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/open-database.ts'
import type { Bus } from '../events/bus.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Presence } from '../presence/presence.ts'
import type { Quotas } from '../quotas/quotas.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Media } from '../voice/media.ts'

/** What the running program is made of: put together once in main, handed to whoever needs it. */
export interface Services {
  readonly config: Config
  readonly log: Log
  readonly database: Database
  readonly bus: Bus
  readonly eventLog: EventLog
  readonly presence: Presence
  readonly applicationNotifier: ApplicationNotifier
  readonly quotas: Quotas
  readonly media: Media
  readonly metrics: Metrics
  readonly secret: Secret
  readonly version: string
}
