import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { isEncrypted } from './https-listener.ts'

type Portal = Pick<Services, 'config' | 'https'>

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Prevents cross-site request forgery: browsers send `Origin` with every request that changes something, and it must be
 * the portal's own.
 */
export function refuseForeignOrigin(request: FastifyRequest, services: Portal): void {
  if (SAFE.has(request.method)) return
  const { origin } = request.headers
  if (origin !== undefined && isOwnOrigin(origin, request, services)) return
  throw new Refusal('forbidden', {
    message: 'The request must have an Origin header with this portal’s origin.',
    reason: 'foreign_origin',
  })
}

/**
 * The portal's origin, or another name of the same machine: by https one that the certificate names, otherwise the one of the
 * request. If the portal uses https, plain http is foreign.
 */
export function isOwnOrigin(
  origin: string,
  { host, socket }: { host: string; socket: Socket },
  { config: { PUBLIC_URL }, https }: Portal,
): boolean {
  if (origin === PUBLIC_URL) return true
  if (isEncrypted(socket)) return https?.isOwnOrigin(origin) ?? false
  if (!URL.canParse(origin)) return false
  const given = new URL(origin)
  return given.host === host && (given.protocol === 'https:' || PUBLIC_URL.startsWith('http:'))
}
