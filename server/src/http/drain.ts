import type { FastifyInstance } from 'fastify'

/** In milliseconds: longer than the deadline of a request. After this, open connections are closed. */
export const DRAIN_TIMEOUT = 15_000

/**
 * On shutdown, finishes the requests in progress. Without this, keep-alive connections and clients that never complete
 * their request would prevent the process from exiting.
 */
export function drain(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
    app.server.once('close', () => clearTimeout(timer))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close')
    done()
  })
}
