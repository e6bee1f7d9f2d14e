import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { Refusal } from '../operations/refusal.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Prevents cross-site request forgery: browsers send `Origin` with every request that changes something, and it must be
 * the portal's own.
 */
export function refuseForeignOrigin(request: FastifyRequest, config: Pick<Config, 'PUBLIC_URL'>): void {
  if (SAFE.has(request.method)) return
  const { origin } = request.headers
  if (origin !== undefined && isOwnOrigin(origin, request.host, config)) return
  throw new Refusal('forbidden', {
    message: 'The request must have an Origin header with this portal’s origin.',
    reason: 'foreign_origin',
  })
}

/** The portal's origin, or another name of the same machine. If the portal uses https, plain http is foreign. */
export function isOwnOrigin(origin: string, host: string, { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): boolean {
  if (origin === PUBLIC_URL) return true
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  return given.host === host && (given.protocol === 'https:' || PUBLIC_URL.startsWith('http:'))
}
