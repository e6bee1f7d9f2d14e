import type { Delivery } from '@portico/contract'
import { m } from '#paraglide/messages.js'

type State = Delivery['state']

export const DELIVERY_WORDS: Readonly<Record<State, () => string>> = {
  pending: m.apps_delivery_pending,
  delivered: m.apps_delivery_delivered,
  failed: m.apps_delivery_failed,
  held: m.apps_delivery_held,
}

export const DELIVERY_TONES: Readonly<Record<State, 'ok' | 'bad' | 'warn' | 'plain'>> = {
  pending: 'plain',
  delivered: 'ok',
  failed: 'bad',
  held: 'warn',
}

/** What came back the last time: the status of the answer, or why there was none. */
export function lastOutcome({ lastStatus, lastError, attempts }: Delivery): string | undefined {
  if (attempts === 0) return undefined
  return lastStatus === null ? (lastError ?? undefined) : String(lastStatus)
}
