import type { Delivery, DeliveryFault } from '@portico/contract'
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

/** Why an attempt failed, and what to do about it. */
export const FAULT_WORDS: Readonly<Record<DeliveryFault, () => string>> = {
  status: m.apps_fault_status,
  redirect: m.apps_fault_redirect,
  unknown_host: m.apps_fault_unknown_host,
  private_host: m.apps_fault_private_host,
  refused: m.apps_fault_refused,
  unreachable: m.apps_fault_unreachable,
  silent: m.apps_fault_silent,
  broken_off: m.apps_fault_broken_off,
  certificate_expired: m.apps_fault_certificate_expired,
  certificate_name: m.apps_fault_certificate_name,
  certificate_issuer: m.apps_fault_certificate_issuer,
  no_tls: m.apps_fault_no_tls,
  other: m.apps_fault_other,
}

/** What came back the last time: the status of the answer, or why there was none. */
export function lastOutcome({ lastStatus, lastFault, attempts }: Delivery): string | undefined {
  if (attempts === 0) return undefined
  if (lastStatus !== null) return String(lastStatus)
  return lastFault === null ? undefined : FAULT_WORDS[lastFault]()
}
