import type { ClientConfig } from 'pg'
import type { Clock } from './clock.ts'
import type { Disk } from './disk.ts'
import type { Relay } from './relay.ts'

/** A process of the world that can be killed and suspended. */
export interface Part {
  /** What it is, for the names of faults: `portico`, `postgres`, … */
  readonly kind: string
  /** The same as the kind, if there is only one. */
  readonly name: string
  /** Parts of one group end or wait together, so they are not hit at the same time. By default, that of the same kind. */
  readonly group?: string
  /** SIGSTOP: it still accepts connections, and does nothing. */
  freeze?(): Promise<void>
  resume?(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Starts it again after a kill, until it serves. */
  startAgain(): Promise<void>
}

/** A fault that this machine can’t cause. */
export interface Skipped {
  readonly fault: string
  readonly why: string
}

/** What the actors and the faults see of the running program. */
export interface World {
  /** Where clients connect. */
  readonly url: string
  /** For the first administrator. */
  readonly setUpCode: string
  readonly parts: readonly Part[]
  /** The network between clients and the program, and between the program and what it depends on. */
  readonly relays: readonly Relay[]
  readonly disks: readonly Disk[]
  readonly clocks: readonly Clock[]
  readonly skipped: readonly Skipped[]
  /** What there is in addition, or is missing, in a few words. */
  readonly remarks: readonly string[]
  /** How to connect to the database as an operator does. */
  database(): Promise<ClientConfig>
  /** Resources that the programs hold, by name. */
  held(): Promise<Record<string, number>>
}
