import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Services } from '../operations/services.ts'
import { findAvatar, type Avatar } from '../pictures/find-avatar.ts'
import { Refusal } from '../operations/refusal.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
/** A URL without a version means the current avatar: browsers may cache it, but must revalidate it. */
const REVALIDATE = 'public, no-cache'

/** Avatars. Their URLs contain a version, so that browsers can cache them forever. */
export function mediaRoutes(app: FastifyInstance, services: Services): void {
  app.get<{ Params: { file: string }; Querystring: { v?: unknown } }>(
    '/media/avatars/:file',
    async (request, reply) => {
      const avatar = await findAvatar(services.database.kysely, request.params.file)
      if (!avatar) throw new Refusal('notFound')
      const { type, version } = avatar
      const etag = `"${version}"`
      const isKnown = request.headers['if-none-match'] === etag
      const content = isKnown ? '' : await contentOf(services, avatar, reply)
      void reply
        .header('cache-control', request.query.v === String(version) ? IMMUTABLE : REVALIDATE)
        .header('etag', etag)
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
      if (isKnown) return reply.code(304).send()
      return reply.type(type).send(content)
    },
  )
}

async function contentOf(
  { files, log }: Services,
  { content }: Avatar,
  reply: FastifyReply,
): Promise<string | Buffer | Readable> {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return content
  const found = await files.get(content.file)
  if (!found) {
    log.error({ file: content.file }, 'stored file is missing')
    throw new Refusal('notFound')
  }
  void reply.header('content-length', found.length)
  return found.body
}
