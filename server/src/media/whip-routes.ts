import { RATE_LIMITS } from '@portico/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { iceServerLinks, readIceFragment } from '@portico/media'
import { networkOf } from '../accounts/network-of.ts'
import type { Config } from '../config/config.ts'
import { requireLease } from '../http/require-lease.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { RateLimiter } from '../quotas/rate-limiter.ts'
import { findBroadcaster, type Broadcaster } from '../voice/broadcaster.ts'
import { leaveUnlessConnected } from '../voice/end-broadcast.ts'
import { clientAddress } from './client-address.ts'
import { WHIP_PATH, type EmbeddedMedia } from './embedded-media.ts'
import { beginBroadcast } from './whip-broadcast.ts'
import { answerWhipError, WhipError } from './whip-error.ts'

const SESSION_PATH = `${WHIP_PATH}/:sid`
const LARGEST_OFFER = 64 * 1024
const FRAGMENT = 'application/trickle-ice-sdpfrag'
/** Broadcasts that one person may begin in a minute. */
const MOST_STARTS = 20

interface ToBroadcast {
  readonly Params: { readonly sid: string }
}

/**
 * Broadcasting with programs such as OBS (WHIP, RFC 9725): one offer with a stream key, one answer, and a DELETE at the
 * end. Pages of other sites may broadcast too: the key is all that counts.
 */
export async function whipRoutes(app: FastifyInstance, services: Services): Promise<void> {
  await app.register(async (whip) => {
    whip.removeAllContentTypeParsers()
    const options = { parseAs: 'string', bodyLimit: LARGEST_OFFER } as const
    whip.addContentTypeParser(['application/sdp', FRAGMENT], options, (_request, body, done) => done(null, body))
    whip.setErrorHandler((error, _request, reply) => answerWhipError(error, reply))
    whip.addHook('onRequest', async (_request, reply) => {
      void reply
        .header('access-control-allow-origin', '*')
        .header('access-control-expose-headers', 'location, etag, link')
    })
    refuseOtherMethods(whip, WHIP_PATH, 'POST, OPTIONS')
    refuseOtherMethods(whip, SESSION_PATH, 'PATCH, DELETE, OPTIONS')
    const { embeddedMedia } = services
    if (embeddedMedia) broadcastRoutes(whip, services, embeddedMedia)
    else whip.post(WHIP_PATH, { onRequest: () => Promise.reject(explainAbsence(services.config)) }, () => undefined)
  })
}

function broadcastRoutes(whip: FastifyInstance, services: Services, media: EmbeddedMedia): void {
  const { config } = services
  const limiter = new RateLimiter(config.RATE_LIMIT_FACTOR)
  const take = (subject: string, limit: number): void => {
    const wait = limiter.take(subject, limit)
    if (wait > 0) throw new Refusal('tooManyRequests', { retryAfterSec: wait })
  }
  const end = async ({ roomId, id }: Broadcaster, sid: string): Promise<boolean> => {
    const isEnded = await media.programs.end(roomId, id, sid)
    if (isEnded) await leaveUnlessConnected(services, roomId, id)
    return isEnded
  }
  requireLease(whip, services)
  // Before the body is read and the key is looked up.
  const onRequest = async ({ ip }: FastifyRequest): Promise<void> => {
    take(`address ${networkOf(ip)}`, RATE_LIMITS.addressConnects)
    if (!media.isUp) throw restarting()
  }

  whip.post(WHIP_PATH, { onRequest }, async (request, reply) => {
    const broadcaster = await broadcasterOf(request, services)
    const sdp = bodyOf(request)
    take(`broadcasts of ${broadcaster.id}`, MOST_STARTS)
    if (!(await media.wake())) throw restarting()
    const client = clientAddress(request.raw, config.TRUSTED_PROXIES)
    const answer = await beginBroadcast(services, media, broadcaster, { client, sdp })
    // Re-issuing a key ends its broadcast, but not one that begins in the same moment.
    if (!(await findBroadcaster(services.database.kysely, keyOf(request)))) {
      await end(broadcaster, answer.sid)
      throw wrongKey()
    }
    const links = iceServerLinks({ urls: config.TURN_URL, secret: config.TURN_SECRET ?? '' })
    if (links.length > 0) void reply.header('link', links.join(', '))
    void reply.headers({ location: `${WHIP_PATH}/${answer.sid}`, etag: `"${answer.iceSession}"` })
    return reply.code(201).type('application/sdp').send(answer.sdp)
  })

  whip.patch<ToBroadcast>(SESSION_PATH, { onRequest }, async (request, reply) => {
    const { roomId, id: identity } = await broadcasterOf(request, services)
    const iceSession = request.headers['if-match']?.replace(/^"(.*)"$/, '$1')
    if (iceSession === undefined) throw new WhipError(428, 'Name the ICE session in If-Match, or * to restart ICE.')
    const credentials = readIceFragment(bodyOf(request))
    const answer = await media.updateIce({ roomId, identity, sid: request.params.sid, iceSession, credentials })
    if (answer === 'unknown') throw new Refusal('notFound')
    if (answer === 'outdated') throw new WhipError(412, 'ICE was restarted since.')
    if (answer === 'noted') return reply.code(204).send()
    return reply.code(200).header('etag', `"${answer.iceSession}"`).type(FRAGMENT).send(answer.fragment)
  })

  whip.delete<ToBroadcast>(SESSION_PATH, { onRequest }, async (request, reply) => {
    if (!(await end(await broadcasterOf(request, services), request.params.sid))) throw new Refusal('notFound')
    return reply.code(200).send()
  })
}

async function broadcasterOf(request: FastifyRequest, { database }: Services): Promise<Broadcaster> {
  const broadcaster = await findBroadcaster(database.kysely, keyOf(request))
  if (!broadcaster) throw wrongKey()
  return broadcaster
}

function keyOf({ headers }: FastifyRequest): string {
  const [, key = ''] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return key
}

function bodyOf({ body }: FastifyRequest): string {
  if (typeof body !== 'string') throw new WhipError(415, 'The request has no body.')
  return body
}

function restarting(): WhipError {
  return new WhipError(503, 'The media server is being restarted.', { 'retry-after': '2' })
}

function wrongKey(): WhipError {
  const message = 'The stream key is wrong, or was re-issued or revoked. Send it as Authorization: Bearer <key>.'
  return new WhipError(401, message, { 'www-authenticate': 'Bearer' })
}

function explainAbsence({ LIVEKIT_URL }: Config): WhipError {
  return LIVEKIT_URL === null
    ? new WhipError(501, 'Voice and broadcasts are turned off on this portal (MEDIA=off).')
    : new WhipError(
        501,
        'An external LiveKit server carries the media of this portal. Its own ingress service takes WHIP; ask the operator for its address.',
      )
}

/** Methods without a meaning yet are reserved by the RFC: 405, not 404. */
function refuseOtherMethods(whip: FastifyInstance, url: string, allow: string): void {
  whip.options(url, (_request, reply) => answerPreflight(reply, allow))
  const method = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'].filter((one) => !allow.includes(one))
  whip.route({
    method,
    url,
    exposeHeadRoute: false,
    onRequest: () => Promise.reject(new WhipError(405, `This address takes ${allow}.`, { allow })),
    handler: () => undefined,
  })
}

function answerPreflight(reply: FastifyReply, allow: string): FastifyReply {
  return reply
    .code(204)
    .header('access-control-allow-methods', allow)
    .header('access-control-allow-headers', 'authorization, content-type, if-match')
    .header('accept-post', 'application/sdp')
    .send()
}
