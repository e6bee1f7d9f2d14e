import { isTemporary, PorticoError, QuotaError } from '../client/errors.ts'
import { backoff, sleep } from '../client/sleep.ts'
import type { BotEvent } from '../events/event.ts'

/** How a handler that fails with a temporary error is run again, with the same event. */
export interface RetryOptions {
  /**
   * How long the pauses before new attempts may add up to, in seconds, until the bot gives the event up. The time in which the
   * bot has no connection to the portal doesn't count. By default 3600.
   */
  readonly forSec?: number | undefined
  /**
   * Whether an error is temporary. By default those are: the portal can't be reached, doesn't respond in time, or the quota
   * is used up by another process; and what `ctx.retryLater` throws.
   */
  readonly when?: ((error: unknown, event: BotEvent) => boolean) | undefined
}

/** Thrown by `ctx.retryLater`. */
export class RetryLaterError extends PorticoError {
  /** The pause before the next attempt. */
  readonly afterSec: number | undefined

  constructor({ afterSec, cause }: { readonly afterSec?: number | undefined; readonly cause?: unknown } = {}) {
    super('The handler asked to be run again.', { cause })
    this.afterSec = afterSec
  }
}

/** A handler failed with a temporary error at every attempt, and isn't run again. The last error is its `cause`. */
export class RetriesExhaustedError extends PorticoError {
  readonly attempts: number

  constructor(attempts: number, cause: unknown) {
    super(`The handler failed ${attempts} times and isn’t run again. Last: ${String(cause)}`, { cause })
    this.attempts = attempts
  }
}

/** What a bot tells when it runs a handler again. */
export interface Retry {
  readonly event: BotEvent
  readonly error: unknown
  /** How often the handler has failed. */
  readonly attempts: number
}

const DEFAULT_SECONDS = 3600

/** Whether a handler has done its work: `given up` also if it failed for good, `interrupted` if the bot stops before. */
export type HandlerOutcome = 'done' | 'given up' | 'interrupted'

interface RetrierOptions {
  readonly retry: RetryOptions | false | undefined
  /** Resolves when the bot is connected, or after a time. */
  readonly connected: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly isConnected: () => boolean
  readonly signal: AbortSignal
  readonly onRetry: (retry: Retry) => void
  readonly onError: (error: unknown, event: BotEvent) => void
}

/** Runs handlers, and runs them again after temporary errors. */
export class Retrier {
  readonly #options: RetrierOptions
  readonly #limit: number
  readonly #isTemporary: (error: unknown, event: BotEvent) => boolean

  constructor(options: RetrierOptions) {
    const { retry } = options
    this.#options = options
    this.#limit = retry === false ? 0 : (retry?.forSec ?? DEFAULT_SECONDS) * 1000
    this.#isTemporary = (retry === false ? undefined : retry?.when) ?? isWorthRetrying
  }

  /** Runs a handler until it has succeeded, failed for good, or the bot stops. Never rejects. */
  async run(event: BotEvent, handler: () => unknown): Promise<HandlerOutcome> {
    const { signal, isConnected, connected, onError, onRetry } = this.#options
    for (let [attempts, paused] = [1, 0]; ; attempts += 1) {
      try {
        await handler()
        return 'done'
      } catch (error) {
        const isRetryLater = error instanceof RetryLaterError
        if (this.#limit === 0 || !(isRetryLater || this.#isTemporary(error, event))) {
          onError(error, event)
          return 'given up'
        }
        if (paused >= this.#limit) {
          onError(new RetriesExhaustedError(attempts, error), event)
          return 'given up'
        }
        onRetry({ event, error, attempts })
        const pause = pauseAfter(error, attempts)
        if (isConnected()) paused += pause
        try {
          if (isConnected() || isRetryLater) await sleep(pause, signal)
          else await connected(pause, signal)
        } catch {
          onError(error, event)
          return 'interrupted'
        }
      }
    }
  }
}

function pauseAfter(error: unknown, attempts: number): number {
  if (error instanceof RetryLaterError && error.afterSec !== undefined) return error.afterSec * 1000
  const pause = backoff(attempts - 1)
  return error instanceof QuotaError ? Math.max(pause, error.retryAfterSec * 1000) : pause
}

/** Also if a handler wrapped the error in one of its own. */
function isWorthRetrying(error: unknown): boolean {
  if (isTemporary(error)) return true
  return error instanceof Error && error.cause !== undefined && error.cause !== error && isWorthRetrying(error.cause)
}
