import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SIGNAL_PATH, tokenOf } from '@portico/media'
import type { Services } from '../operations/services.ts'

/**
 * Where LiveKit clients ask why their socket was refused. Pages of other sites may ask too, with a token of their own: without
 * the header, the request would fail in their browsers and they would report that the server is down.
 */
export function mediaSignalRoutes(app: FastifyInstance, { embeddedMedia: media }: Services): void {
  if (!media) return
  app.get(`${SIGNAL_PATH}/validate`, async (request, reply) => {
    const grant = await media.verify(tokenOf(request.headers, queryOf(request)))
    const isExpected = grant !== undefined && (await media.admit(grant, () => undefined))
    if (!isExpected) return text(reply, 401, 'invalid token, or nobody expects you in this room')
    return media.isUp ? text(reply, 200, 'success') : text(reply, 503, 'restarting')
  })
  app.get(`${SIGNAL_PATH}/v1/validate`, (_request, reply) => text(reply, 404, 'not found'))
}

function queryOf({ url }: FastifyRequest): URLSearchParams {
  return URL.parse(url, 'http://portico')?.searchParams ?? new URLSearchParams()
}

function text(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).header('access-control-allow-origin', '*').type('text/plain; charset=utf-8').send(body)
}
