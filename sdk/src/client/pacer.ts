import { abortReason } from './abortable.ts'
import { QuotaWindow } from './quota-window.ts'

/** A lost request may still be accepted until the portal's own deadline for it. */
const REQUEST_DEADLINE = 10_000

interface Waiting {
  readonly isWrite: boolean
  start(): void
}

/** How a request ended, as far as quotas are concerned. */
export type Outcome = Response | 'lost'

/**
 * Holds requests back until the quotas of the application allow them, in the order in which they were made. A request that
 * waits for the write quota doesn't hold back others that need none of it.
 */
export class Pacer {
  readonly #requests = new QuotaWindow()
  readonly #writes = new QuotaWindow()
  readonly #waiting: Waiting[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Resolves when the request can be sent. Each needs an `end`. */
  begin(isWrite: boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(abortReason(signal))
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        if (signal) reject(abortReason(signal))
      }
      const waiting = {
        isWrite,
        start: () => {
          signal?.removeEventListener('abort', abort)
          resolve()
        },
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiting.push(waiting)
      this.#startWaiting()
    })
  }

  end(isWrite: boolean, outcome: Outcome): void {
    const now = performance.now()
    const isLost = outcome === 'lost'
    const status = isLost ? 0 : outcome.status
    const late = isLost ? REQUEST_DEADLINE : 0
    // What the quota refused didn't count, and a refused write counts only as a request.
    this.#requests.end(now, { counts: status !== 429 && status !== 401, late })
    if (isWrite) this.#writes.end(now, { counts: isLost || status < 400 || status >= 500, late })
    if (!isLost) this.#learn(isWrite, outcome)
    this.#startWaiting()
  }

  #learn(isWrite: boolean, { status, headers }: Response): void {
    const limit = Number(headers.get('x-ratelimit-limit') ?? Number.NaN)
    const remaining = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN)
    // A request without a valid key isn't counted, and a proxy in front of the portal counts nothing.
    if (status === 401 || Number.isNaN(limit) || Number.isNaN(remaining)) return
    // On a write the headers describe the quota that has less left.
    const isOfRequests = !isWrite || limit === this.#requests.limit
    const quota = isOfRequests ? this.#requests : this.#writes
    quota.learn(limit, remaining)
    // Where the request quota is the tighter one, the write quota is never reached.
    if (isWrite && isOfRequests && this.#writes.limit === undefined) this.#writes.learn(limit, remaining)
    if (status !== 429) return
    const seconds = Number(headers.get('retry-after') ?? 5)
    quota.pause(performance.now() + seconds * 1000)
  }

  #startWaiting(): void {
    clearTimeout(this.#timer)
    let soonest = Infinity
    for (const waiting of this.#waiting.slice()) {
      const delay = this.#delay(waiting.isWrite)
      soonest = Math.min(soonest, delay > 0 ? delay : Infinity)
      if (delay > 0) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      this.#requests.begin()
      if (waiting.isWrite) this.#writes.begin()
      waiting.start()
    }
    if (soonest < Infinity) this.#timer = setTimeout(() => this.#startWaiting(), Math.ceil(soonest))
  }

  #delay(isWrite: boolean): number {
    const now = performance.now()
    if (!isWrite) return this.#requests.delay(now)
    // As long as only writes were sent, the headers have described only the tighter write quota.
    const requests = this.#requests.limit === undefined ? 0 : this.#requests.delay(now)
    return Math.max(requests, this.#writes.delay(now))
  }
}
