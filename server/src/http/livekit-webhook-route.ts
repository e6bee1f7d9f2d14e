import type { FastifyInstance } from 'fastify'
import type { Services } from '../operations/services.ts'

/** Receives LiveKit's webhooks about connections. The body is not parsed, because the signature covers its raw bytes. */
export async function livekitWebhookRoute(app: FastifyInstance, { media }: Services): Promise<void> {
  if (media.kind !== 'livekit') return
  await app.register(async (ofLivekit) => {
    ofLivekit.removeAllContentTypeParsers()
    ofLivekit.addContentTypeParser('application/webhook+json', { parseAs: 'string' }, (_request, body, done) =>
      done(null, body),
    )
    ofLivekit.post<{ Body: string }>('/media/livekit', async ({ body, headers }, reply) => {
      await media.reports.receive(body, headers.authorization)
      return reply.code(204).send()
    })
  })
}
