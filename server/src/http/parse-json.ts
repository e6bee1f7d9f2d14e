import type { FastifyInstance } from 'fastify'
import { Refusal } from '../operations/refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * JSON bodies and no others. An empty one counts as none: many clients announce JSON on a DELETE and send nothing.
 * Bytes that are not UTF-8 are refused, never replaced.
 */
export function parseJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      done(null, JSON.parse(utf8.decode(body as Buffer)))
    } catch {
      done(new Refusal('badRequest', { field: 'body', message: 'body: must be valid JSON in UTF-8' }))
    }
  })
}
