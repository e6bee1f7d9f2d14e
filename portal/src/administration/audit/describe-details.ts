import type { AuditEntry } from '@portico/contract'
import { isChange, formatValue } from '#audit/describe-change.ts'
import { m } from '#paraglide/messages.js'
import { wholeNumber } from '#texts/times.ts'

const FIELDS: Readonly<Record<string, () => string>> = {
  name: m.audit_field_name,
  description: m.audit_field_description,
  registrationOpen: m.administration_registration_open,
  isAdministrator: m.administrator,
  disabled: m.administration_disabled,
  owner: m.administration_field_owner,
}

/** What changed, one line each. Details that mean nothing to people are left out. */
export function describeDetails({ action, details }: AuditEntry): string[] {
  const { scopes, redirectUri, host, rotated, requests, writes, error } = details
  switch (action) {
    case 'account.updated':
      // With a single detail the sentence already says it.
      return Object.keys(details).length > 1 ? changes(details) : []
    case 'application.limits_changed':
      return [
        m.administration_detail_requests({ count: limit(requests) }),
        m.administration_detail_writes({ count: limit(writes) }),
      ]
    case 'key.issued':
    case 'key.reissued':
      return Array.isArray(scopes) && scopes.length > 0
        ? [m.administration_detail_scopes({ scopes: scopes.join(', ') })]
        : []
    case 'oauth.connected':
    case 'oauth.updated':
      return typeof redirectUri === 'string' ? [m.administration_detail_redirect_uri({ address: redirectUri })] : []
    case 'webhook.created':
    case 'webhook.updated':
      return [
        ...(typeof host === 'string' ? [m.administration_detail_host({ host })] : []),
        ...(rotated === true ? [m.administration_detail_rotated()] : []),
      ]
    case 'webhook.turned_off':
      return typeof error === 'string' ? [m.administration_detail_error({ error })] : []
    default:
      return changes(details)
  }
}

function changes(details: Record<string, unknown>): string[] {
  return Object.entries(details).flatMap(([name, change]) => {
    const field = FIELDS[name]?.()
    return field !== undefined && isChange(change)
      ? [m.audit_from_to({ field, from: formatValue(change.from), to: formatValue(change.to) })]
      : []
  })
}

function limit(value: unknown): string {
  return typeof value === 'number' ? wholeNumber(value) : m.administration_detail_default()
}
