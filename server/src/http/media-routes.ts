import { Type } from 'typebox'
import type { FastifyInstance } from 'fastify'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'
import { initialsPicture } from '../accounts/initials-picture.ts'

const File = Type.Object({ file: Type.String() })

/** Avatars. Their version is in the query, so that a browser may keep each for ever. */
export function mediaRoutes(app: FastifyInstance, parts: Parts): void {
  app.get<{ Params: { file: string } }>(
    '/media/avatars/:file',
    { schema: { params: File } },
    async (request, reply) => {
      const id = /^([0-9a-f-]{36})\.svg$/.exec(request.params.file)?.[1]
      const picture = id && (await initialsPicture(parts.database.kysely, id))
      if (!picture) throw new Refusal('notFound')
      return reply
        .type('image/svg+xml')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .send(picture)
    },
  )
}
