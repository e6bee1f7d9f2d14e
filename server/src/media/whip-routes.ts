import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { RateLimiter } from '../quotas/rate-limiter.ts'
import type { EmbeddedMedia } from './embedded-media.ts'
import { clientAddress, tokenOf } from './signal-request.ts'
import type { Grant } from './signal/verify-token.ts'
import type { BroadcastAnswer } from './thread.ts'

export const WHIP_PATH = '/whip/v1'

const LARGEST_OFFER = 64 * 1024
/** Broadcasts that one account may begin in a minute. */
const MOST_STARTS = 20

interface ToBroadcast {
  readonly Params: { readonly sid: string }
}

/** Broadcasting with programs such as OBS (WHIP, RFC 9725): one offer, one answer, and a DELETE at the end. */
export async function whipRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const { embeddedMedia: media, config } = services
  if (!media) return
  const limiter = new RateLimiter(config.RATE_LIMIT_FACTOR)
  await app.register(async (whip) => {
    whip.removeAllContentTypeParsers()
    const options = { parseAs: 'string', bodyLimit: LARGEST_OFFER } as const
    whip.addContentTypeParser('application/sdp', options, (_request, body, done) => done(null, body))
    whip.addHook('onRequest', async (_request, reply) => {
      // The token is all that counts, so pages of other sites may broadcast too.
      void reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'location')
    })
    whip.options(WHIP_PATH, (_request, reply) => answerPreflight(reply))
    whip.options(`${WHIP_PATH}/:sid`, (_request, reply) => answerPreflight(reply))

    whip.post<{ Body: string }>(WHIP_PATH, async (request, reply) => {
      const grant = await broadcasterOf(request, media)
      const wait = limiter.take(`broadcasts of ${grant.identity}`, MOST_STARTS)
      if (wait > 0) throw new Refusal('tooManyRequests', { retryAfterSec: wait })
      const client = clientAddress(request.raw, config.TRUSTED_PROXIES)
      const answer = await begin(media, grant, (allowed) =>
        media.broadcast({ grant: allowed, client, sdp: request.body }),
      )
      return reply.code(201).header('location', `${WHIP_PATH}/${answer.sid}`).type('application/sdp').send(answer.sdp)
    })

    whip.delete<ToBroadcast>(`${WHIP_PATH}/:sid`, async (request, reply) => {
      const grant = await broadcasterOf(request, media)
      if (!(await media.endBroadcast(grant, request.params.sid))) throw new Refusal('notFound')
      return reply.code(200).send()
    })
  })
}

async function broadcasterOf({ headers }: FastifyRequest, media: EmbeddedMedia): Promise<Grant> {
  const grant = await media.verify(tokenOf(headers, new URLSearchParams()))
  if (!grant) throw new Refusal('unauthorized', { message: 'The bearer token isn’t valid.' })
  return grant
}

async function begin(
  media: EmbeddedMedia,
  grant: Grant,
  broadcast: (allowed: Grant) => Promise<BroadcastAnswer | null>,
): Promise<BroadcastAnswer> {
  let answering: Promise<BroadcastAnswer | null> | undefined
  await media.admit(grant, (allowed) => {
    if (allowed.canPublish) answering = broadcast(allowed)
  })
  if (!answering) throw new Refusal('forbidden', { message: 'You can’t broadcast in this room now.' })
  const answer = await answering
  if (!answer) throw new Refusal('unprocessable', { message: 'The offer contains nothing that can be broadcast.' })
  return answer
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', 'POST, DELETE, OPTIONS')
    .header('access-control-allow-headers', 'authorization, content-type')
    .header('accept-post', 'application/sdp')
    .send()
}
