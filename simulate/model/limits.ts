import { isDone, isRefused, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'
import { botsOf } from './timeline.ts'

export interface Limits {
  readonly requests: number
  readonly writes: number
}

/** What every application may do in any 60 seconds, unless an administrator sets something else. */
export const DEFAULT_LIMITS: Limits = { requests: 60, writes: 20 }

/** The limits of applications through time, by the id of the bot. */
export class LimitsThroughTime {
  readonly #changes = new Map<string, { readonly exchange: Exchange; readonly to: number; readonly limits: Limits }[]>()

  constructor(exchanges: readonly Exchange[], faults: Faults) {
    const bots = botsOf(exchanges)
    for (const exchange of exchanges) {
      if (exchange.operation !== 'setLimits' || isRefused(exchange)) continue
      const { applicationId, requests, writes } = exchange.args as unknown as Limits & { applicationId: string }
      const botId = bots.get(applicationId) ?? ''
      const changes = this.#changes.get(botId) ?? []
      changes.push({ exchange, to: faults.latestEffect(exchange), limits: { requests, writes } })
      this.#changes.set(botId, changes)
    }
  }

  /** All limits that may have been in force at some time of the span. */
  during(botId: string, from: number, to: number): Limits[] {
    const possible: Limits[] = [DEFAULT_LIMITS]
    for (const { exchange, to: latest, limits } of this.#changes.get(botId) ?? []) {
      if (exchange.at > to) break
      // It certainly holds from the beginning of the span on.
      if (isDone(exchange) && latest < from) possible.length = 0
      possible.push(limits)
    }
    return possible
  }
}
