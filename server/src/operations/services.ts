import type { Config } from '../config/config.ts'
import type { Database } from '../db/open-database.ts'
import type { Replica } from '../db/replica.ts'
import type { Bus } from '../events/bus.ts'
import type { EventLog } from '../events/event-log.ts'
import type { Commit } from '../events/group-commit.ts'
import type { Files } from '../files/files.ts'
import type { Redis } from '../redis/redis.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Secret } from '../secrets/secret.ts'

/**
 * What the running program consists of, created once in `start.ts`. A feature adds what it provides by module
 * augmentation; an operation names what it needs: `Pick<Services, 'media'>`.
 */
export interface Services {
  readonly config: Config
  readonly log: Log
  readonly database: Database
  /** For expensive reads, if the operator has one. */
  readonly replica?: Replica
  readonly commit: Commit
  readonly bus: Bus
  /** Shared with the other nodes, if this process is a node of a cluster. */
  readonly redis?: Redis
  readonly eventLog: EventLog
  readonly files: Files
  readonly metrics: Metrics
  readonly secret: Secret
  readonly version: string
  /**
   * The base of links that people pass on: PUBLIC_URL, or the https address for other devices where PUBLIC_URL is one of this
   * machine only.
   */
  linkBase(): string
}
