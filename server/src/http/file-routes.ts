import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listMessages } from '@portico/contract'
import { findSession } from '../accounts/find-session.ts'
import { refusalByScope } from '../applications/refusal-by-scope.ts'
import type { Actor } from '../operations/actor.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { findUpload } from '../uploads/find-upload.ts'
import { authenticateBot } from './authenticate-bot.ts'
import { countRequest } from './bot-quotas.ts'
import { byteRange } from './byte-range.ts'
import { readSessionCookie } from './session-cookie.ts'
import { UUID } from './validate-input.ts'

/** Types that browsers show or play without running anything. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp|avif)|audio\/[a-z0-9]+|video\/[a-z0-9]+|text\/plain)$/

/**
 * No page of the portal: nothing in a file is run, loaded or framed, and its type is never guessed. A browser may store
 * it, but asks each time whether the reader may still have it: the message may be deleted, or the reader removed.
 */
const HEADERS = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-cache',
  vary: 'cookie, authorization',
}

interface Sent {
  /** The name of the stored file. */
  readonly file: string
  readonly type: string
  readonly name: string
  readonly etag: string
  /** In bytes, if ranges of it can be requested. */
  readonly size?: number
}

/** Files of messages, and the previews of pictures among them. */
export function fileRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Params: { id: string } }>('/files/:id/preview', async (request, reply) => {
    const { id, preview, name } = await requested(services, request)
    if (preview === null) throw new Refusal('notFound')
    return send(services, reply, { file: preview, type: 'image/webp', name: `${name}.webp`, etag: `"${id}-preview"` })
  })
  app.get<{ Params: { id: string; name: string } }>('/files/:id/:name', async (request, reply) => {
    const { id, file, type, name, size } = await requested(services, request)
    return send(services, reply, { file, type, name, size, etag: `"${id}"` })
  })
}

async function requested(services: Services, request: FastifyRequest<{ Params: { id: string } }>) {
  const actor = await actorOf(services, request)
  const { id } = request.params
  if (!UUID.test(id)) throw new Refusal('notFound')
  return findUpload(services, actor, id)
}

/** A person by their session, or a bot by its key. A bot's request counts against its quota. */
async function actorOf(services: Services, request: FastifyRequest): Promise<Actor> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const { actor } = await authenticateBot(services, authorization)
    await countRequest(services, actor)
    const refusal = refusalByScope(actor.scopes, listMessages)
    if (refusal) throw refusal
    return actor
  }
  const token = readSessionCookie(request, services.config)
  const person = token === undefined ? undefined : await findSession(services, token)
  if (!person) throw new Refusal('unauthorized', { message: 'Sign in first.', reason: 'not_signed_in' })
  return person
}

async function send({ files, log }: Services, reply: FastifyReply, sent: Sent): Promise<FastifyReply> {
  const { headers, method } = reply.request
  const { file, type, name, etag, size } = sent
  if (headers['if-none-match'] === etag) return reply.code(304).headers(HEADERS).header('etag', etag).send()
  const range = size === undefined || !isWanted(headers, etag) ? undefined : byteRange(headers.range, size)
  if (range === 'unsatisfiable') return reply.code(416).header('content-range', `bytes */${size}`).send()
  const found = await files.get(file, range)
  if (!found) {
    log.error({ file }, 'stored file is missing')
    throw new Refusal('notFound')
  }
  const isShown = SHOWN.test(type)
  void reply
    .headers(HEADERS)
    .header('etag', etag)
    .header('content-type', isShown ? withCharset(type) : 'application/octet-stream')
    .header('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${encodedName(name)}`)
    .header('content-length', found.length)
  if (size !== undefined) void reply.header('accept-ranges', 'bytes')
  if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  if (method !== 'HEAD') return reply.send(found.body)
  found.body.destroy()
  // Fastify sends the headers of a stream without its content.
  return reply.send(Readable.from([]))
}

/** A range of the file that the client has begun with; a file never changes, so it is always the same one. */
function isWanted(headers: IncomingHttpHeaders, etag: string): boolean {
  const condition = headers['if-range']
  return condition === undefined || condition === etag
}

/** Text was recognized by being UTF-8. */
function withCharset(type: string): string {
  return type === 'text/plain' ? 'text/plain; charset=utf-8' : type
}

/** As RFC 8187 wants it. */
function encodedName(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*!]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}
