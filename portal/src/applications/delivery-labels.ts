import type { Delivery, DeliveryErrorCode } from '@portico/contract'
import { m } from '#paraglide/messages.js'

type State = Delivery['state']

export const DELIVERY_LABELS: Readonly<Record<State, () => string>> = {
  pending: m.applications_delivery_pending,
  delivered: m.applications_delivery_delivered,
  failed: m.applications_delivery_failed,
  held: m.applications_delivery_held,
}

export const DELIVERY_TONES: Readonly<Record<State, 'ok' | 'bad' | 'warn' | 'plain'>> = {
  pending: 'plain',
  delivered: 'ok',
  failed: 'bad',
  held: 'warn',
}

/** Why an attempt failed, and what to do about it. */
export const DELIVERY_ERRORS: Readonly<Record<DeliveryErrorCode, () => string>> = {
  status: m.applications_delivery_error_status,
  redirect: m.applications_delivery_error_redirect,
  unknown_host: m.applications_delivery_error_unknown_host,
  private_host: m.applications_delivery_error_private_host,
  refused: m.applications_delivery_error_refused,
  unreachable: m.applications_delivery_error_unreachable,
  silent: m.applications_delivery_error_timeout,
  broken_off: m.applications_delivery_error_connection_closed,
  certificate_expired: m.applications_delivery_error_certificate_expired,
  certificate_name: m.applications_delivery_error_certificate_name,
  certificate_issuer: m.applications_delivery_error_certificate_issuer,
  no_tls: m.applications_delivery_error_no_tls,
  other: m.applications_delivery_error_other,
}

/** The last HTTP status, or why there was no response. */
export function lastOutcome({ lastStatus, lastErrorCode, attempts }: Delivery): string | undefined {
  if (attempts === 0) return undefined
  if (lastStatus !== null) return String(lastStatus)
  return lastErrorCode === null ? undefined : DELIVERY_ERRORS[lastErrorCode]()
}
