import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'
import type { Secret } from '../secret.ts'
import { bearsToken } from './bears-token.ts'

export const ARRIVAL_PATH = '/healthz/arrival'

/** How a request arrived, after whatever stands between its sender and us. */
export interface Arrival {
  readonly version: string
  /** Who handed the request over: the sender, or a reverse proxy. */
  readonly peer: string
  /** Whether somebody on the way named the sender's address, and whether we believe it. */
  readonly forwarded: boolean
  readonly believed: boolean
}

/** What `npx portico doctor` proves itself with: only those who can read the portal's secret have it. */
export function arrivalToken(secret: Secret): string {
  return secret.key('doctor').toString('base64url')
}

/** Tells the doctor what became of its request. Addresses of proxies are nobody else's business. */
export function arrivalRoute(app: FastifyInstance, { secret, version }: Parts): void {
  const token = arrivalToken(secret)
  app.get(ARRIVAL_PATH, async (request): Promise<Arrival> => {
    if (!bearsToken(request, token)) throw new Refusal('forbidden')
    const { headers } = request
    const peer = request.socket.remoteAddress ?? ''
    return {
      version,
      peer,
      forwarded: headers['x-forwarded-for'] !== undefined,
      believed: (request.ips?.length ?? 0) > 1,
    }
  })
}
