import type { Pool } from 'pg'
import type { Log } from '../telemetry/log.ts'
import type { EventFanOut, FanOutState } from './event-fan-out.ts'
import { readLastPosition, readSettled } from './read-settled.ts'

interface FanOutJoinOptions {
  readonly pool: Pool
  readonly log: Log
  readonly fanOut: EventFanOut
  /** Called when there is a position up to which the log has to be read. */
  readonly onJoining: () => void
}

/**
 * How a node that reads the log begins to rely on messages: when all its subscriptions are confirmed and it has read up to the last
 * position that the database had after that. Everything that was published before was committed before.
 */
export class FanOutJoin {
  readonly #options: FanOutJoinOptions
  #joining: { readonly state: FanOutState; readonly upTo: number } | undefined
  #isBusy = false
  /** How often messages may have been lost. */
  #losses = 0

  constructor(options: FanOutJoinOptions) {
    this.#options = options
  }

  /** Messages may have been lost: it has to begin again. */
  lose(): void {
    this.#losses += 1
    this.#joining = undefined
  }

  begin(top: number): void {
    const { fanOut, log, onJoining } = this.#options
    if (this.#joining || this.#isBusy || !fanOut.isReady) return
    this.#isBusy = true
    this.join(top)
      .catch((error: unknown) => log.debug({ err: error }, 'following the events in Redis failed; retrying'))
      .finally(() => {
        this.#isBusy = false
        if (this.#joining) onJoining()
      })
  }

  async join(top: number): Promise<void> {
    const { fanOut, pool } = this.#options
    if (!fanOut.isReady) return
    const losses = this.#losses
    await fanOut.subscribed()
    let asked = await fanOut.ask(top)
    if (asked && !asked.state) {
      await fanOut.begin((await readSettled(pool, null)).top)
      asked = await fanOut.ask(top)
    }
    if (!asked?.state) return
    const upTo = await readLastPosition(pool)
    if (asked.state.settled <= upTo && losses === this.#losses) this.#joining = { state: asked.state, upTo }
  }

  /** Relies on messages if the log has been read far enough. Returns whether it does so now. */
  trust(top: number): boolean {
    if (!this.#joining || top < this.#joining.upTo) return false
    this.#options.fanOut.trust(this.#joining.state)
    this.#joining = undefined
    return true
  }
}
