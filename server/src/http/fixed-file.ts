import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'

export interface FixedFile {
  readonly url: string
  readonly type: string
  /** Called for the first request, so that the server starts without waiting for it. */
  readonly content: () => string | Buffer | Promise<string>
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves a file that doesn’t change while the server runs: compressed where the client accepts it, and with an ETag. */
export function serveFixed(app: FastifyInstance, { url, type, content, headers = {} }: FixedFile): void {
  let prepared: ReturnType<typeof prepare> | undefined
  app.get(url, async (request, reply) => {
    const { plain, packed, etag } = (prepared ??= prepare(await content()))
    void reply.type(type).headers({ ...headers, etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    if (!packed || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(plain)
    return reply.header('content-encoding', 'gzip').send(packed)
  })
}

function prepare(plain: string | Buffer) {
  const packed = typeof plain === 'string' ? gzipSync(plain) : undefined
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { plain, packed, etag }
}
