import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { Deadline } from '../db/deadline.ts'
import type { Database } from '../db/open-database.ts'
import { takeClient } from '../db/take-client.ts'
import { isLoopback } from '../config/is-loopback.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { bearsToken } from './bears-token.ts'

/** In milliseconds: shorter than the timeouts of supervisors. */
const READY_WITHIN = 1500

/** For the operator's supervisor, load balancer and monitoring. */
export function healthRoutes(app: FastifyInstance, services: Services): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })

  app.get('/healthz', async () => ({ status: 'ok', version: services.version }))

  app.get('/readyz', async (request, reply) => {
    if (closing) return reply.code(503).send({ status: 'closing' })
    try {
      if (await canStore(services.database)) return { status: 'ready', ...degraded(services) }
      request.log.error({ reqId: request.id }, 'not ready: the disk is full')
      return await reply.code(503).send({ status: 'disk full' })
    } catch (error) {
      request.log.error({ reqId: request.id, err: error }, 'not ready: the database does not respond')
      return reply.code(503).send({ status: 'no database' })
    }
  })

  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, services.config)) throw new Refusal('forbidden')
    return reply.type(services.metrics.contentType).send(await services.metrics.text())
  })
}

/** The portal goes on without them, so a load balancer must not take the node out. */
function degraded({ redis, files, replica }: Services): { degraded?: string[] } {
  const used = { redis, files, replica }
  const away = Object.entries(used).flatMap(([name, part]) => (part?.isReady === false ? [name] : []))
  return away.length > 0 ? { degraded: away } : {}
}

async function canStore({ pool, disk }: Database): Promise<boolean> {
  const { client, release } = await takeClient(pool, new Deadline(READY_WITHIN))
  try {
    await client.query('SELECT 1')
    const hasSpace = await disk.hasSpace(client)
    release()
    return hasSpace
  } catch (error) {
    release(true)
    throw error
  }
}

/** Behind a proxy on this machine, every request comes from loopback: with a public address, only the token gives access. */
function mayReadMetrics(request: FastifyRequest, { METRICS_TOKEN, PUBLIC_URL }: Config): boolean {
  if (METRICS_TOKEN !== null) return bearsToken(request, METRICS_TOKEN)
  return isLoopback(new URL(PUBLIC_URL).hostname) && isLoopback(request.socket.remoteAddress ?? '')
}
