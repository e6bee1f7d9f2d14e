import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

export interface FixedFile {
  readonly url: string
  readonly type: string
  readonly content: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves a file that doesn’t change while the server runs: compressed where the client accepts it, and with an ETag. */
export function serveFixed(app: FastifyInstance, { url, type, content, headers = {} }: FixedFile): void {
  const packed = typeof content === 'string' ? gzipSync(content) : undefined
  const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  app.get(url, async (request, reply) => {
    void reply.type(type).headers({ ...headers, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    if (!packed || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(content)
    return reply.header('content-encoding', 'gzip').send(packed)
  })
}
