import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'
import { bearsToken } from './bears-token.ts'

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

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
      request.log.error({ err: error }, 'not ready: the database does not answer')
      return reply.code(503).send({ status: 'no database' })
    }
  })

  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, parts.config.METRICS_TOKEN)) throw new Refusal('forbidden')
    return reply.type(parts.metrics.contentType).send(await parts.metrics.text())
  })
}

function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  if (token === null) return LOOPBACK.has(request.socket.remoteAddress ?? '') && !request.headers['x-forwarded-for']
  return bearsToken(request, token)
}
