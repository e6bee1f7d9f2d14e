import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { Refusal } from '../refusal.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * A page of another site cannot change anything with a visitor's cookie: browsers send `Origin` with every request
 * that changes something, and it must be the address at which the portal itself was opened.
 */
export function refuseForeignOrigin(request: FastifyRequest, config: Pick<Config, 'PUBLIC_URL'>): void {
  if (SAFE.has(request.method)) return
  const { origin } = request.headers
  if (origin !== undefined && (origin === config.PUBLIC_URL || isOwnHost(origin, request, config))) return
  throw new Refusal('forbidden', {
    message: 'The request must carry an Origin header of this portal.',
    reason: 'foreign_origin',
  })
}

/** The portal opened under another name or address of the same machine. Where it lives under https, plain http is foreign. */
function isOwnHost(origin: string, request: FastifyRequest, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): boolean {
  if (!URL.canParse(origin)) return false
  const { host, protocol } = new URL(origin)
  return host === request.host && (protocol === 'https:' || PUBLIC_URL.startsWith('http:'))
}
