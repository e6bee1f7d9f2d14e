import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import { findSession } from '../accounts/find-session.ts'
import type { PeopleLimits } from '../http/limit-people.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import { wrongField } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { CurrentProvider } from './current-provider.ts'
import { OAUTH_PATHS } from '../http/oauth-paths.ts'

/** The provider's public endpoints, with their metric labels. All others answer 404. */
const MOUNTED: readonly (readonly [operation: string, methods: string[], url: string])[] = [
  ['discoverSignIn', ['GET', 'OPTIONS'], '/.well-known/openid-configuration'],
  ['discoverSignIn', ['GET', 'OPTIONS'], '/.well-known/oauth-authorization-server'],
  ['getSignInKeys', ['GET', 'OPTIONS'], OAUTH_PATHS.jwks],
  ['authorize', ['GET'], OAUTH_PATHS.authorization],
  ['resumeAuthorize', ['GET'], `${OAUTH_PATHS.authorization}/:uid`],
  ['exchangeToken', ['POST'], OAUTH_PATHS.token],
  ['getUserInfo', ['GET', 'POST'], OAUTH_PATHS.userinfo],
  ['introspectToken', ['POST'], OAUTH_PATHS.introspection],
  ['revokeToken', ['POST'], OAUTH_PATHS.revocation],
]

/** In bytes: it becomes a URL, and proxies reject longer ones. */
const POSTED_REQUEST = 8192

export function mountProvider(
  app: FastifyInstance,
  current: CurrentProvider,
  services: Services,
  limits: PeopleLimits,
): void {
  const { host, protocol } = new URL(services.config.PUBLIC_URL)
  const limitSignIns = async (request: FastifyRequest): Promise<void> => {
    const token = readSessionCookie(request, services.config)
    const person = token === undefined ? undefined : await findSession(services, token)
    limits.takeForSignIn(request.ip, person?.id)
  }
  postToGet(app)

  void app.register(async (scope) => {
    // The provider reads bodies itself, so they must not be consumed before.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))

    for (const [operation, method, url] of MOUNTED) {
      scope.route({
        method,
        url,
        exposeHeadRoute: false,
        config: { operation },
        ...(url === OAUTH_PATHS.authorization && { preHandler: limitSignIns }),
        handler: async ({ raw }, reply) => {
          const provider = await current()
          reply.hijack()
          for (const [name, value] of Object.entries(reply.getHeaders())) {
            if (value !== undefined) reply.raw.setHeader(name, value)
          }
          // A shutdown waits for open connections, and the hooks that would close this one no longer run.
          if (!app.server.listening) reply.raw.setHeader('connection', 'close')
          // URLs in responses are built from these, so they must not come from the request.
          Object.assign(raw.headers, {
            host,
            'x-forwarded-host': host,
            'x-forwarded-proto': protocol.slice(0, -1),
          })
          raw.url = pathOf(raw.url ?? '/')
          await provider.callback()(raw, reply.raw)
        },
      })
    }
  })
}

/**
 * Redirects a POSTed authorization request to GET: browsers don't send the session cookie with a cross-site form, but they
 * do when they follow its redirect.
 */
function postToGet(app: FastifyInstance): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const form = { parseAs: 'string', bodyLimit: POSTED_REQUEST } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', form, (_request, body, done) => done(null, body))
    scope.setErrorHandler((error: FastifyError) => {
      throw error.code?.startsWith('FST_ERR_CTP_')
        ? wrongField('body', `must be a form (application/x-www-form-urlencoded) of at most ${POSTED_REQUEST} bytes`)
        : error
    })
    scope.post(OAUTH_PATHS.authorization, { config: { operation: 'authorize' } }, async ({ body }, reply) => {
      const params = new URLSearchParams(typeof body === 'string' ? body : '')
      return reply.redirect(`${OAUTH_PATHS.authorization}?${params.toString()}`, 303)
    })
  })
}

/** A request line may contain an absolute URL with any host. */
function pathOf(target: string): string {
  return target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
}
