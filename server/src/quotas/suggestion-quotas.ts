import { SUGGESTION_LIMITS } from '@portico/contract'
import { SecondWindows } from './second-windows.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly suggestionQuotas: SuggestionQuotas
  }
}

/** How often bots are asked for suggestions, and answer. One person can't use up what a bot answers. */
export class SuggestionQuotas {
  readonly #windows: SecondWindows

  /** In milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#windows = new SecondWindows(clock)
  }

  /** Whether a bot may be asked for a person. */
  takeRequest(botId: string, userId: string): boolean {
    const { requests, requestsOfPerson } = SUGGESTION_LIMITS
    const left = this.#windows.take([`requests ${botId} ${userId}`, requestsOfPerson], [`requests ${botId}`, requests])
    return left !== undefined
  }

  /** Counts an answer and returns how many are left, in this second; undefined: it is refused. */
  takeAnswer(applicationId: string): number | undefined {
    return this.#windows.take([`answers ${applicationId}`, SUGGESTION_LIMITS.requests])
  }
}
