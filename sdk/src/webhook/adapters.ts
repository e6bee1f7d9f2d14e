import { PorticoError } from '../client/errors.ts'
import { readBody } from './read-body.ts'
import type { WebhookHandler } from './webhook.ts'

/** The part of a request of `node:http` that is used. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What a body parser of the framework has read. */
  readonly body?: unknown
}

/** The part of a response of `node:http` that is used. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** What a Fastify plugin gets. */
export interface FastifyInstanceLike {
  removeAllContentTypeParsers(): void
  /** Overloaded, with types of Fastify that the SDK doesn't depend on. */
  readonly addContentTypeParser: unknown
  readonly post: unknown
}

interface FastifyInstance {
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer' },
    parse: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown
}

interface FastifyRequestLike {
  readonly method: string
  readonly headers: NodeRequest['headers']
  readonly body: unknown
}

interface FastifyReplyLike {
  code(status: number): FastifyReplyLike
  headers(headers: Record<string, string>): FastifyReplyLike
  send(body: string): unknown
}

/** For `node:http`: `createServer(toNodeHandler(bot.webhook({ secret })))`. */
export function toNodeHandler(handler: WebhookHandler): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    respond(handler, request, response).catch((error: unknown) => {
      console.error(error)
      response.writeHead(500, {})
      response.end('')
    })
  }
}

/**
 * For Express: `app.post('/portico', toExpressHandler(bot.webhook({ secret })))`, before `express.json()`, which would leave
 * no raw body to verify. After `express.raw` it works as well.
 */
export function toExpressHandler(
  handler: WebhookHandler,
): (request: NodeRequest, response: NodeResponse, fail: (error: unknown) => void) => void {
  return (request, response, fail) => {
    respond(handler, request, response).catch(fail)
  }
}

/** For Fastify: `app.register(toFastifyPlugin(bot.webhook({ secret })), { prefix: '/portico' })`. */
export function toFastifyPlugin(handler: WebhookHandler): (app: FastifyInstanceLike) => Promise<void> {
  return async (app) => {
    // Only inside this plugin: other routes keep their parsers.
    app.removeAllContentTypeParsers()
    const instance = app as unknown as FastifyInstance
    instance.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    instance.post('/', async (request, reply) => {
      const response = await handler(toWebRequest(request, request.body as Uint8Array<ArrayBuffer>))
      return reply
        .code(response.status)
        .headers(Object.fromEntries(response.headers))
        .send(await response.text())
    })
  }
}

/** For Hono: `app.post('/portico', toHonoHandler(bot.webhook({ secret })))`. */
export function toHonoHandler(
  handler: WebhookHandler,
): (context: { readonly req: { readonly raw: Request } }) => Promise<Response> {
  return ({ req }) => handler(req.raw)
}

async function respond(handler: WebhookHandler, request: NodeRequest, response: NodeResponse): Promise<void> {
  const body = await rawBody(request)
  const answer = body ? await handler(toWebRequest(request, body)) : new Response(null, { status: 413 })
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(await answer.text())
}

async function rawBody(request: NodeRequest): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (request.body instanceof Uint8Array) return new Uint8Array(request.body)
  if (request.body !== undefined)
    throw new PorticoError('A body parser has read the delivery before the webhook. Mount the webhook before it.')
  return readBody(request)
}

function toWebRequest(
  { method = 'GET', headers }: Pick<NodeRequest, 'method' | 'headers'>,
  body: Uint8Array<ArrayBuffer>,
): Request {
  const fields = Object.entries(headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  // The address plays no role.
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request('http://webhook.invalid/', {
    method,
    headers: fields as [string, string][],
    ...(hasBody && { body }),
  })
}
