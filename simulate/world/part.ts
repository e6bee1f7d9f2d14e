/** A process of the world that faults hit. */
export interface Part {
  readonly name: string
  /** SIGSTOP: it is there, and silent. */
  freeze(): Promise<void>
  resume(): Promise<void>
  /** SIGKILL. */
  kill(): Promise<void>
  /** Starts it again after a kill, until it serves. */
  startAgain(): Promise<void>
}

/** What the actors and the faults see of the running program. */
export interface World {
  /** Where clients connect. */
  readonly url: string
  /** For the first administrator. */
  readonly setUpCode: string
  readonly parts: readonly Part[]
  /** Resources that the program holds, by name. */
  held(): Promise<Record<string, number>>
  stop(): Promise<void>
}
