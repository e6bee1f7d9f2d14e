import type { AdapterPayload } from 'oidc-provider'

/** The expiry as a column value. */
export function instantOf({ exp }: AdapterPayload): string {
  if (exp === undefined) throw new Error('the provider keeps nothing for ever')
  return new Date(exp * 1000).toISOString()
}

/** The column decides about the expiry, not the payload. */
export function withExpiry({ payload, expires_at }: { payload: AdapterPayload; expires_at: string }): AdapterPayload {
  return { ...payload, exp: secondsOf(expires_at) }
}

export function secondsOf(instant: string): number {
  return Math.floor(Date.parse(instant) / 1000)
}
