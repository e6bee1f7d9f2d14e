import { LIMITS } from '@portico/contract'
import fastifyCookie from '@fastify/cookie'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { newId } from '../operations/ids.ts'
import type { Handlers } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import { allowedMethods } from './allowed-methods.ts'
import { answerBrokenRequest } from './answer-broken-request.ts'
import { answer, answerErrors } from './answer-errors.ts'
import { arrivalRoute } from './arrival-route.ts'
import { BOT_BASE, botApi, UNCOUNTED } from './bot-api.ts'
import { drain } from './drain.ts'
import { healthRoutes } from './health-routes.ts'
import { livekitWebhookRoute } from './livekit-webhook-route.ts'
import { mediaRoutes } from './media-routes.ts'
import { openapiRoutes } from './openapi-routes.ts'
import { parseJson } from './parse-json.ts'
import { portalApi } from './portal-api.ts'
import { portalFiles } from './portal-files.ts'
import { requestDeadlines } from './request-deadline.ts'
import { referenceRoutes } from './reference/routes.ts'
import { requireLease } from './require-lease.ts'
import { securityHeaders } from './security-headers.ts'
import { signInRoutes } from '../sign-in/sign-in-routes.ts'
import { SocketServer } from '../websocket/socket-server.ts'

/** One server on one port: the portal's files, its API, the bot API, media and what operators look at. */
export async function buildServer(services: Services, handlers: Handlers): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = services.log
  const headersOf = securityHeaders(services.config)
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    // A logger of its own for every request costs as much as a small answer. Lines about a request name it themselves.
    childLoggerFactory: () => logger,
    bodyLimit: LIMITS.requestBody,
    trustProxy: services.config.TRUSTED_PROXIES.length > 0 ? [...services.config.TRUSTED_PROXIES] : false,
    // A client that sends its request byte by byte must not hold a connection for ever.
    requestTimeout: 60_000,
    // Many HTTP libraries offer to go on in HTTP/2 with every request. Only WebSocket is taken up; the rest is answered.
    http: {
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
      // Node would refuse it in words of its own.
      requireHostHeader: false,
    },
    forceCloseConnections: 'idle',
    // A request that arrives on an open connection while we stop is still carried out; its answer closes the connection.
    return503OnClosing: false,
    // Addresses that cannot be read, and requests that are not HTTP, never reach the hooks below.
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id).headers(headersOf(request.url))
      if (request.url.startsWith(`${BOT_BASE}/`)) void reply.headers(UNCOUNTED)
      void answer(new Refusal('badRequest'), reply)
    },
    clientErrorHandler: (error, socket) =>
      answerBrokenRequest(error, socket, { 'x-request-id': newId(), ...headersOf(''), ...UNCOUNTED }),
    // As long as an address can be: an id that is too long is malformed, not another route.
    routerOptions: { maxParamLength: 16_384 },
  })

  parseJson(app)
  answerErrors(app, services.database.disk)
  requestDeadlines(app)
  allowedMethods(app)
  app.addHook('onRequest', (request, reply, done) => {
    // By this it is found in the logs.
    void reply.header('x-request-id', request.id).headers(headersOf(request.url))
    const isNameless = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(isNameless ? wrongField('host', 'is required') : undefined)
  })
  services.metrics.observeRequests(app)
  drain(app)

  healthRoutes(app, services)
  arrivalRoute(app, services)
  mediaRoutes(app, services)
  await livekitWebhookRoute(app, services)
  openapiRoutes(app, services)
  referenceRoutes(app, services)
  await botApi(app, services, handlers)
  // Only people carry cookies: a bot's request does not pay for them.
  await app.register(async (ofPeople) => {
    await ofPeople.register(fastifyCookie)
    requireLease(ofPeople, services)
    portalApi(ofPeople, services, handlers)
    await signInRoutes(ofPeople, services)
  })
  await portalFiles(app, services)

  const sockets = new SocketServer(services)
  sockets.attach(app)
  app.addHook('preClose', () => sockets.close())
  return app
}
