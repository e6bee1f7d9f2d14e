import { LIMITS } from '@portico/contract'
import fastifyCookie from '@fastify/cookie'
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { newId } from '../operations/ids.ts'
import type { Handlers } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { allowedMethods } from './allowed-methods.ts'
import { answerBrokenRequest } from './answer-broken-request.ts'
import { answer, answerErrors } from './answer-errors.ts'
import { answerOnSocket } from './answer-on-socket.ts'
import { arrivalRoute } from './arrival-route.ts'
import { BOT_BASE, botApi } from './bot-api.ts'
import { UNCOUNTED } from './bot-quotas.ts'
import { compileSerializer } from './compile-serializer.ts'
import { closeConnectionsLater, drain } from './drain.ts'
import { isReceivingFile } from './file-body.ts'
import { fileRoutes } from './file-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { HTTP_OPTIONS } from './http-options.ts'
import { isEncrypted } from './https-listener.ts'
import { ignoreDeparted } from './ignore-departed.ts'
import { peopleLimits } from './limit-people.ts'
import { livekitWebhookRoute } from './livekit-webhook-route.ts'
import { mediaRoutes } from './media-routes.ts'
import { openapiRoutes } from './openapi-routes.ts'
import { foreignHosts } from './own-hosts.ts'
import { parseJson } from './parse-json.ts'
import { portalApi } from './portal-api.ts'
import { portalFiles } from './portal-files.ts'
import { requestDeadlines } from './request-deadline.ts'
import { referenceRoutes } from './reference/routes.ts'
import { requireLease } from './require-lease.ts'
import { securityHeaders } from './security-headers.ts'
import type { Transports } from './transports.ts'
import { UploadSlots } from './upload-slots.ts'

/** Files are streamed: each takes two or three MiB of memory, however large it is. */
const FILES = { ofOne: 4, ofAll: 100 }

/** The portal's files, its API, the bot API, health and metrics, and what the other transports serve. */
export async function buildServer(
  services: Services,
  handlers: Handlers,
  transports: Transports,
): Promise<FastifyInstance> {
  const logger: FastifyBaseLogger = services.log
  const { https } = services
  const headersOf = securityHeaders(services.config)
  const refuseHost = foreignHosts(services)
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId(),
    // A child logger per request costs as much as a small response. Log lines include the request id themselves.
    childLoggerFactory: () => logger,
    bodyLimit: LIMITS.requestBody,
    trustProxy: services.config.TRUSTED_PROXIES.length > 0 ? [...services.config.TRUSTED_PROXIES] : false,
    // A client that sends its request byte by byte must not hold a connection forever.
    requestTimeout: 60_000,
    http: HTTP_OPTIONS,
    forceCloseConnections: 'idle',
    // A request on an open connection during shutdown is still answered, and the response closes the connection.
    return503OnClosing: false,
    // It would also end a shutdown in which sockets and requests take longer than ten seconds, by an exception.
    pluginTimeout: 0,
    // Malformed URLs and invalid HTTP never reach the hooks below.
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id).headers(headersOf(request.url))
      if (request.url.startsWith(`${BOT_BASE}/`)) void reply.headers(UNCOUNTED)
      void answer(new Refusal('badRequest'), reply)
    },
    clientErrorHandler: (error, socket) => {
      // A file takes as long as it needs, within the limits of its own.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isReceivingFile(socket)) return
      answerBrokenRequest(error, socket, { 'x-request-id': newId(), ...headersOf(''), ...UNCOUNTED })
    },
    // As long as a URL can be: an id that is too long is malformed, not another route.
    routerOptions: { maxParamLength: 16_384 },
  })

  app.setSerializerCompiler(compileSerializer)
  parseJson(app)
  answerErrors(app, services.database.disk)
  ignoreDeparted(app)
  requestDeadlines(app)
  allowedMethods(app)
  app.addHook('onRequest', (request, reply, done) => {
    const origin = isEncrypted(request.socket) ? https?.originOf(request.headers.host) : undefined
    // The request id, for finding it in the logs.
    void reply.header('x-request-id', request.id).headers(headersOf(request.url, origin))
    done(refuseHost(request.raw))
  })
  services.metrics.observeRequests(app)
  drain(app)
  https?.attach(app)

  healthRoutes(app, services)
  arrivalRoute(app, services)
  mediaRoutes(app, services)
  await livekitWebhookRoute(app, services)
  await transports.routes(app, services)
  openapiRoutes(app, services)
  referenceRoutes(app, services)
  const files = new UploadSlots(FILES)
  await botApi(app, services, handlers, files)
  // Only people send cookies, so bot requests skip this.
  await app.register(async (ofPeople) => {
    await ofPeople.register(fastifyCookie)
    requireLease(ofPeople, services)
    const limits = peopleLimits(ofPeople, services)
    portalApi(ofPeople, services, handlers, { files, limits })
    fileRoutes(ofPeople, services)
    transports.peopleRoutes(ofPeople, services, limits)
  })
  await portalFiles(app, services)

  const endpoints = transports.openSockets(services)
  app.server.on('upgrade', (request, socket, head) => {
    // Without a listener an 'error' event would crash the process.
    socket.on('error', () => socket.destroy())
    const refusal = refuseHost(request)
    if (!refusal && endpoints.some((endpoint) => endpoint.upgrade(request, socket, head))) return
    const { url = '' } = request
    const headers = refusal ? headersOf('') : { ...headersOf(url), ...(url.startsWith(`${BOT_BASE}/`) && UNCOUNTED) }
    answerOnSocket(refusal ?? new Refusal('notFound'), socket, { 'x-request-id': newId(), ...headers })
  })
  app.addHook('preClose', async () => {
    for (const endpoint of endpoints) await endpoint.drain?.(services.config.DRAIN_SECONDS)
    for (const endpoint of endpoints) await endpoint.close()
    closeConnectionsLater(app)
  })
  return app
}
