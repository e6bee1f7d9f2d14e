import type { FastifyInstance } from 'fastify'

/**
 * Who resets the connection before the request is read has no address anymore and gets no response, so nothing is done. Limits per
 * address, and sessions that show theirs, rely on there being one.
 */
export function ignoreDeparted(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.socket.remoteAddress !== undefined) {
      done()
      return
    }
    reply.hijack()
    reply.raw.destroy()
  })
}
