import { isDone, isRefused, type Exchange } from './exchanges.ts'
import type { Faults } from './fault-spans.ts'

/** A request that gives something a value: the text of a message, whether it is pinned, a reaction of one person. */
export interface Write<V> {
  readonly exchange: Exchange
  readonly value: V
  readonly from: number
  /** The latest time at which it may have had its effect. */
  readonly to: number
  /** Acknowledged: it certainly had its effect. */
  readonly isSure: boolean
}

/** Undefined for a refused request, which had no effect. */
export function writeOf<V>(exchange: Exchange, value: V, faults: Faults): Write<V> | undefined {
  if (isRefused(exchange)) return undefined
  return { exchange, value, from: exchange.at, to: faults.latestEffect(exchange), isSure: isDone(exchange) }
}

/** The values that something may have after all writes, or when it is read: of those that no acknowledged write certainly followed. */
export function possibleValues<V>(
  writes: readonly Write<V>[],
  initial: V,
  read: { readonly at: number; readonly end: number } = { at: Infinity, end: Infinity },
): Set<V> {
  const isOver = ({ isSure, to }: Write<V>): boolean => isSure && to < read.at
  const lastSure = Math.max(-Infinity, ...writes.filter(isOver).map(({ from }) => from))
  const values = new Set<V>()
  if (lastSure === -Infinity) values.add(initial)
  for (const { from, to, value } of writes) if (to >= lastSure && from < read.end) values.add(value)
  return values
}

/** Whether a write changed the value, where that is certain. */
export type Effect = 'changed' | 'unchanged' | 'unsure'

/** What each write did, in the order in which they were sent. Writes at the same time are unsure, and so is what follows a lost answer. */
export function effectsOf<V>(writes: readonly Write<V>[], initial: V): Map<Exchange, Effect> {
  const sorted = writes.toSorted((a, b) => a.from - b.from)
  const effects = new Map<Exchange, Effect>()
  let known: { readonly value: V } | undefined = { value: initial }
  let busyUntil = -Infinity
  for (const [position, write] of sorted.entries()) {
    const next = sorted[position + 1]
    const isAlone = write.from > busyUntil && (!next || next.from > write.to)
    busyUntil = Math.max(busyUntil, write.to)
    if (!isAlone || !write.isSure) {
      effects.set(write.exchange, 'unsure')
      known = undefined
      continue
    }
    effects.set(write.exchange, known ? (known.value === write.value ? 'unchanged' : 'changed') : 'unsure')
    known = { value: write.value }
  }
  return effects
}
