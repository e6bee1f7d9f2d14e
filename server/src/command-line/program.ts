import type { FastifyInstance } from 'fastify'
import type { StorageOptions } from '../db/open-storage.ts'
import type { Handlers } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'

export interface Running {
  readonly services: Services
  readonly handlers: Handlers
  readonly app: FastifyInstance
  /** Stops cleanly: no new requests, finish those in progress, the database last. */
  close(): Promise<void>
}

export interface StartOptions extends StorageOptions {
  /** Another process has taken over the database: this one must stop. */
  readonly onDisplaced: () => void
}

/** What `main.ts` gives to commands: they are loaded without the whole server, and start it only when they need it. */
export interface Program {
  start(options: StartOptions): Promise<Running>
}
