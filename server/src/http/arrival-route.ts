import type { Readable } from 'node:stream'
import { LIMITS } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { maxBytes } from '../uploads/upload.ts'
import type { Secret } from '../secrets/secret.ts'
import { bearsToken } from './bears-token.ts'

export const ARRIVAL_PATH = '/healthz/arrival'

/** How a request arrived, after all proxies. */
export interface Arrival {
  readonly version: string
  /** The direct peer: the client, or a reverse proxy. */
  readonly peer: string
  /** Whether a proxy forwarded the client's address, and whether it is trusted. */
  readonly forwarded: boolean
  readonly believed: boolean
  /** The address for other devices; null without HTTPS_PORT. */
  readonly https: string | null
}

/** In bytes: a picture, or a file of a message. */
export function largestBody(config: Pick<Config, 'FILE_MAX_MB'>): number {
  return Math.max(LIMITS.pictureBytes, maxBytes(config))
}

/** Authenticates `npx portico doctor`: derived from the portal's secret. */
export function arrivalToken(secret: Secret): string {
  return secret.key('doctor').toString('base64url')
}

/** Shows the doctor how its request arrived. Proxy addresses are not public. */
export function arrivalRoute(app: FastifyInstance, { secret, version, https, config }: Services): void {
  const token = arrivalToken(secret)
  const largest = largestBody(config)
  const onRequest = async (request: FastifyRequest): Promise<void> => {
    if (!bearsToken(request, token)) throw new Refusal('forbidden')
  }
  // Accepts the largest body of the portal, counts its bytes and drops them.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/octet-stream', async (_request: FastifyRequest, body: Readable) => {
      let received = 0
      for await (const chunk of body as AsyncIterable<Buffer>) {
        received += chunk.length
        if (received > largest) throw new Refusal('badRequest')
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
      https: https?.url ?? null,
    }
  })
}
