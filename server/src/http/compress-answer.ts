import { constants, brotliCompress, gzip } from 'node:zlib'
import type { onSendHookHandler } from 'fastify'

/** In characters. Less fits into one packet, compressed or not. */
const SMALLEST = 1400
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants

/**
 * Compresses a JSON answer as the browser accepts it, in a thread of its own. An answer contains no secret that someone else
 * could guess by its length: the session is in a cookie.
 */
export const compressAnswer: onSendHookHandler = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < SMALLEST) return done(null, payload)
  void reply.header('vary', 'accept-encoding')
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : undefined
  if (!encoding) return done(null, payload)
  const finish = (error: Error | null, compressed: Buffer): void => {
    // Meanwhile the request may have been answered by its deadline.
    if (reply.raw.headersSent) return
    if (error) return done(null, payload)
    void reply.header('content-encoding', encoding)
    done(null, compressed)
  }
  // Takes as long as gzip, and makes less of it.
  const params = { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_SIZE_HINT]: payload.length }
  if (encoding === 'br') brotliCompress(payload, { params }, finish)
  else gzip(payload, finish)
}
