import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import { isLoopback } from '../is-loopback.ts'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'
import { bearsToken } from './bears-token.ts'

/** For the operator's supervisor, load balancer and monitoring. */
export function healthRoutes(app: FastifyInstance, parts: Parts): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })

  app.get('/healthz', async () => ({ status: 'ok', version: parts.version }))

  app.get('/readyz', async (request, reply) => {
    if (closing) return reply.code(503).send({ status: 'closing' })
    try {
      await sql`SELECT 1`.execute(parts.database.kysely)
      return { status: 'ready' }
    } catch (error) {
      request.log.error({ reqId: request.id, err: error }, 'not ready: the database does not answer')
      return reply.code(503).send({ status: 'no database' })
    }
  })

  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, parts.config)) throw new Refusal('forbidden')
    return reply.type(parts.metrics.contentType).send(await parts.metrics.text())
  })
}

/** A proxy on this machine hands the whole world over from here, so where there may be one it takes the token. */
function mayReadMetrics(request: FastifyRequest, { METRICS_TOKEN, PUBLIC_URL }: Config): boolean {
  if (METRICS_TOKEN !== null) return bearsToken(request, METRICS_TOKEN)
  return isLoopback(new URL(PUBLIC_URL).hostname) && isLoopback(request.socket.remoteAddress ?? '')
}
