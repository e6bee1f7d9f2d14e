import type { Config } from '../config/config.ts'
import type { Log } from '../telemetry/log.ts'
import { connectionsFor } from './connection-limit.ts'
import { startEmbedded, type EmbeddedDatabase } from './embedded/start-embedded.ts'

export interface OpenEmbeddedOptions {
  readonly config: Config
  readonly log: Log
  readonly progress: (text: string) => void
  /** Called when the embedded database exits unexpectedly: nothing can be served after that. */
  readonly onDatabaseLost: (reason: string) => void
}

/** Starts the embedded database as the portal needs it. */
export function openEmbedded(options: OpenEmbeddedOptions): Promise<EmbeddedDatabase> {
  const { config, log, progress, onDatabaseLost } = options
  const settings = { max_connections: String(connectionsFor(config)) }
  return startEmbedded({ dataDir: config.PORTICO_DATA, log, progress, onExit: onDatabaseLost, settings })
}
