import type { FastifyInstance } from 'fastify'

/** In milliseconds: longer than the deadline of a request. After this, open connections are closed. */
export const DRAIN_TIMEOUT = 15_000

/** From the beginning of the shutdown on, every answer closes its connection. */
export function drain(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close')
    done()
  })
}

/**
 * Lets the requests in progress finish. Without this, keep-alive connections and clients that never complete their request
 * would prevent the process from exiting.
 */
export function closeConnectionsLater(app: FastifyInstance): void {
  const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_TIMEOUT)
  app.server.once('close', () => clearTimeout(timer))
}
