import { LIMITS } from '@portico/contract/limits'
import { m } from '#paraglide/messages.js'

/** A reason is optional; the member sees it, and it goes to the channel's audit log. */
export function givenReason(reason: string): { reason?: string } {
  return reason.trim() === '' ? {} : { reason: reason.trim() }
}

export function checkReason(reason: string): (() => string) | undefined {
  return Array.from(reason.trim()).length > LIMITS.reason ? () => m.reason_long({ max: LIMITS.reason }) : undefined
}
