import type { Readable } from 'node:stream'
import { LIMITS } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Secret } from '../secrets/secret.ts'
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
export function arrivalRoute(app: FastifyInstance, { secret, version }: Services): void {
  const token = arrivalToken(secret)
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    if (!bearsToken(request, token)) throw new Refusal('forbidden')
  }
  // A body as large as any that the portal takes: what arrives is counted and dropped.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/octet-stream', async (_request: FastifyRequest, body: Readable) => {
      let received = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        received += chunk.length
        if (received > LIMITS.pictureBytes) throw new Refusal('badRequest')
      }
      return { received }
    })
    scope.post(ARRIVAL_PATH, { onRequest }, async ({ body }) => body)
  })
  app.get(ARRIVAL_PATH, { onRequest }, async (request): Promise<Arrival> => {
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
