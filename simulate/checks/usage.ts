import { isDone, type Exchange } from '../model/exchanges.ts'
import type { Faults } from '../model/fault-spans.ts'
import type { Limits } from '../model/limits.ts'

/** In milliseconds. */
export const WINDOW = 60_000
/** In milliseconds: the clocks of the service and of the client don’t tick alike. */
const CLOCKS = 50
/** What consumes the write quota if it is carried out. */
const WRITES: ReadonlySet<string> = new Set([
  'send',
  'startStream',
  'delete',
  'replaceCommands',
  'upload',
  'showNotice',
])

interface Bounds {
  readonly least: number
  readonly most: number
}

/** What an application has used of its quotas: for sure, and at most. */
export class Usage {
  readonly sure: { readonly requests: readonly Exchange[]; readonly writes: readonly Exchange[] }
  readonly #possible: { readonly requests: readonly Exchange[]; readonly writes: readonly Exchange[] }
  readonly #faults: Faults

  constructor(own: readonly Exchange[], faults: Faults) {
    this.#faults = faults
    const sorted = own.toSorted((a, b) => a.at - b.at)
    // The request quota has accepted what the write quota refused.
    const requests = sorted.filter(
      (one) => one.status !== 401 && !isNoOperation(one) && (one.status !== 429 || this.isWrite(one)),
    )
    const keys = new Set<string>()
    const isRepeated = ({ idempotencyKey, status }: Exchange): boolean => {
      if (idempotencyKey === undefined || status === undefined) return false
      const isKnown = keys.has(idempotencyKey)
      keys.add(idempotencyKey)
      return isKnown
    }
    const writes = requests.filter((one) => this.isWrite(one) && (isDone(one) || isOpen(one)))
    const open = new Set(
      writes.filter(({ status }) => status === undefined).map(({ idempotencyKey }) => idempotencyKey),
    )
    this.#possible = { requests, writes }
    this.sure = {
      requests: requests.filter((one) => !isOpen(one) && one.status !== 429),
      // The first request with a key may have been the one without an answer.
      writes: writes.filter(
        (one) => isDone(one) && !isRepeated(one) && !(one.idempotencyKey && open.has(one.idempotencyKey)),
      ),
    }
  }

  isWrite({ operation }: Exchange): boolean {
    return WRITES.has(operation)
  }

  /** How much may have been left when the answer was made. */
  left(exchange: Exchange, possible: readonly Limits[]): Bounds {
    return this.#bounds(exchange, possible, true)
  }

  /** The same without the request itself. */
  leftBefore(exchange: Exchange, possible: readonly Limits[]): Bounds {
    return this.#bounds(exchange, possible, false)
  }

  /** How many certainly count, so many seconds after an answer. */
  inWindow({ at, end }: Exchange, quota: keyof Limits, seconds: number): number {
    const begins = end + seconds * 1000 - WINDOW + CLOCKS
    const sure = this.sure[quota]
    let count = 0
    for (let position = firstFrom(sure, begins); position < sure.length; position += 1) {
      const other = sure[position]
      if (!other || other.at > at) break
      if (other.at > begins && other.end < at) count += 1
    }
    return count
  }

  #bounds(exchange: Exchange, possible: readonly Limits[], withItself: boolean): Bounds {
    const quotas = this.isWrite(exchange) ? (['requests', 'writes'] as const) : (['requests'] as const)
    const bounds = quotas.map((quota) => {
      const limits = possible.map((one) => one[quota])
      return {
        least: Math.min(...limits) - this.#used(this.#possible[quota], exchange, withItself, 'perhaps'),
        most: Math.max(...limits) - this.#used(this.sure[quota], exchange, withItself, 'surely'),
      }
    })
    return {
      least: Math.max(0, Math.min(...bounds.map(({ least }) => least))),
      most: Math.max(0, Math.min(...bounds.map(({ most }) => most))),
    }
  }

  #used(accepted: readonly Exchange[], exchange: Exchange, withItself: boolean, how: 'surely' | 'perhaps'): number {
    const { at, end } = exchange
    // Requests age by a clock that may be set meanwhile.
    const jumps = this.#faults.clockError(at - WINDOW, end)
    let used = 0
    // One that was sent long before may have been answered late.
    for (let position = firstFrom(accepted, at - 4 * WINDOW); position < accepted.length; position += 1) {
      const other = accepted[position]
      if (!other || other.at > end) break
      if (other === exchange) used += withItself ? 1 : 0
      else if (how === 'surely') used += other.end < at && other.at > end - WINDOW + CLOCKS + jumps ? 1 : 0
      else used += this.#faults.latestEffect(other) > at - WINDOW - CLOCKS - jumps ? 1 : 0
    }
    return used
  }
}

/** An unknown route counts for nothing. */
function isNoOperation({ operation, status }: Exchange): boolean {
  return operation === 'sendWrong' && status === 404
}

/** Nobody knows whether it was counted. */
function isOpen({ status }: Exchange): boolean {
  return status === undefined || status >= 500
}

/** The position of the first exchange that was sent at this time or later. */
function firstFrom(exchanges: readonly Exchange[], time: number): number {
  let [low, high] = [0, exchanges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((exchanges[middle]?.at ?? Infinity) < time) low = middle + 1
    else high = middle
  }
  return low
}
