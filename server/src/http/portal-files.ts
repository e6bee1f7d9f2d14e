import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../operations/services.ts'
import { answerNotFound } from './allowed-methods.ts'

export const PORTAL_BUILD = join(import.meta.dirname, '../../../portal/build')

/** The built portal. Files with a hash in their name are cached forever; every route of the app is one page. */
export async function portalFiles(app: FastifyInstance, services: Services): Promise<void> {
  const built = existsSync(join(PORTAL_BUILD, 'index.html'))
  if (built) {
    // One metric label for all of them: every build has new file names.
    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, operation: 'portalFile' }
    })
    await app.register(fastifyStatic, {
      root: PORTAL_BUILD,
      serve: false,
      preCompressed: true,
      setHeaders: (reply, path) => {
        const lasting = path.includes('/_app/immutable/')
        void reply.header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
    // Not a route per file, as the plugin registers them: a thousand routes take longer than the rest of a start.
    for (const entry of await readdir(PORTAL_BUILD, { withFileTypes: true })) {
      if (entry.name.startsWith('.')) continue
      const url = entry.isDirectory() ? `/${entry.name}/*` : `/${entry.name}`
      app.get(url, (request, reply) => reply.sendFile(request.url.split('?', 1)[0] ?? ''))
    }
    app.get('/', (_request, reply) => reply.sendFile('index.html'))
  } else services.log.warn('the portal is not built: `npm start` builds it')

  const isCluster = services.config.REDIS_URL !== null
  app.setNotFoundHandler((request, reply) => {
    const again = isCluster ? nextAttempt(request) : undefined
    if (again !== undefined) return reply.header('cache-control', 'no-store').redirect(again, 307)
    return built && isPage(request) ? reply.sendFile('index.html') : answerNotFound(request, reply)
  })
}

/** Browsers follow twenty redirects. */
const ATTEMPTS = 15

/**
 * While the nodes of a cluster run different versions, a page of one version asks nodes of another one for its files. The
 * browser is sent to the same address again: sooner or later the load balancer chooses a node that has the file.
 */
function nextAttempt({ method, url }: FastifyRequest): string | undefined {
  const [path = '', query] = url.split('?', 2)
  if (method !== 'GET' || !/^\/_app\/immutable\/[\w./-]+$/.test(path)) return undefined
  const attempt = Number(new URLSearchParams(query).get('attempt') ?? 0)
  return attempt < ATTEMPTS ? `${path}?attempt=${attempt + 1}` : undefined
}

/** Only browsers get the portal's page for an unknown path; programs get the JSON error. */
function isPage({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  return Boolean(headers.accept?.includes('text/html')) && !/^\/(api|portal|media|files)\//.test(url)
}
