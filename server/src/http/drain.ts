import type { FastifyInstance } from 'fastify'

/** A request may take its deadline of ten seconds; incomplete requests are not waited for. */
const PATIENCE = 15_000

/**
 * Lets a stop finish what is under way, and no more. Without this an answered connection would be kept open for its next
 * request, and a client that never finishes its own would keep the program from ending.
 */
export function drain(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
    const impatience = setTimeout(() => app.server.closeAllConnections(), PATIENCE)
    app.server.once('close', () => clearTimeout(impatience))
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) void reply.header('connection', 'close')
    done()
  })
}
