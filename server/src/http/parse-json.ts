import type { FastifyInstance } from 'fastify'
import { Refusal } from '../operations/refusal.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Accepts only JSON bodies. An empty body counts as none, because many clients send the JSON content type with an empty
 * DELETE. Invalid UTF-8 is refused, never replaced.
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
