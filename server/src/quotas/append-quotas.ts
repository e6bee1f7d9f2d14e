import { STREAM_LIMITS } from '@portico/contract'
import { SlidingWindow } from './sliding-window.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly appendQuotas: AppendQuotas
  }
}

const SECOND = 1000

/**
 * How often something is appended to messages that bots write: a quota for each message, and one for the application, whatever
 * messages it names. Counted in memory: a window is a second long. Each node of a cluster counts what it gets.
 */
export class AppendQuotas {
  readonly #windows = new Map<string, SlidingWindow>()
  readonly #clock: () => number
  #sweptAt = 0

  /** In milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  /** Counts an append and returns how many are left, in this second; undefined: it is refused. */
  take(applicationId: string, messageId: string): number | undefined {
    const now = this.#clock()
    this.#sweep(now)
    const ofMessage = this.#windowOf(`${applicationId} ${messageId}`)
    const ofApplication = this.#windowOf(applicationId)
    if (ofMessage.count(now) >= STREAM_LIMITS.appends) return undefined
    if (ofApplication.take(now, STREAM_LIMITS.appends * STREAM_LIMITS.atOnce) > 0) return undefined
    ofMessage.take(now, STREAM_LIMITS.appends)
    return STREAM_LIMITS.appends - ofMessage.count(now)
  }

  #windowOf(subject: string): SlidingWindow {
    const known = this.#windows.get(subject)
    if (known) return known
    const window = new SlidingWindow(SECOND)
    this.#windows.set(subject, window)
    return window
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SECOND) return
    this.#sweptAt = now
    for (const [subject, window] of this.#windows) if (window.count(now) === 0) this.#windows.delete(subject)
  }
}
