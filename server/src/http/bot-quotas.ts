import { LIMITS, STREAM_LIMITS, SUGGESTION_LIMITS } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Quota } from '../quotas/quotas.ts'
import { withTimeout } from '../outbound/with-timeout.ts'
import { authenticateBot } from './authenticate-bot.ts'
import type { BotApiActor } from './authenticate-request.ts'
import { authenticateUser } from './authenticate-user.ts'

/** The quota headers of a request without a valid key or token, which is not counted. */
export const UNCOUNTED = {
  'x-ratelimit-limit': String(LIMITS.requestQuota),
  'x-ratelimit-remaining': String(LIMITS.requestQuota),
}

/** What was left of a quota. The limit can have changed since. */
export interface Left {
  readonly limit: number
  readonly remaining: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation counts against the write quota as well. */
    takesWrites: boolean
    /** What was left when the request was counted. Null: it was not. */
    requestsLeft: Left | null
    writesLeft: Left | null
  }
}

/** Every answer of the bot API says what is left of the caller's quotas. */
export function sendQuotaHeaders(api: FastifyInstance, services: Services): void {
  api.decorateRequest('takesWrites', false)
  api.decorateRequest('requestsLeft', null)
  api.decorateRequest('writesLeft', null)
  api.addHook('onSend', (request, reply, _payload, done) => {
    const writesLeft = knownWritesLeft(services, request)
    const finish = (left: Left | null): void => {
      // Meanwhile the request may have been answered by its deadline.
      if (reply.raw.headersSent) return
      const { limit, remaining } = tightest(request, left)
      void reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', remaining)
      done()
    }
    if (!(writesLeft instanceof Promise)) return finish(writesLeft)
    writesLeft.catch(() => null).then(finish, done)
  })
}

/** What isn't an operation, such as an unknown route, counts for nothing, but says what is left to a caller who is known. */
export async function readQuota(services: Services, request: FastifyRequest): Promise<void> {
  const { authorization } = request.headers
  if (authorization === undefined) return
  try {
    const actor = /^bearer /i.test(authorization)
      ? await authenticateUser(services, authorization)
      : (await authenticateBot(services, authorization)).actor
    const { subject, limit } = actor.quotas.requests
    request.requestsLeft = { limit, remaining: await services.quotas.remaining(subject, limit) }
    request.authentication = { actor, isFinal: true }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** Takes a request of the application's quota, or refuses. */
export async function countRequest(
  { quotas, applicationNotifier }: Services,
  { applicationId, quotas: { requests } }: BotApiActor,
): Promise<Left> {
  const taken = await quotas.take(requests.subject, requests.limit)
  if ('retryAfterSec' in taken) throw quotaExceeded('requests', requests, taken.retryAfterSec)
  applicationNotifier.notify(applicationId, 'usage')
  return { limit: requests.limit, remaining: taken.remaining }
}

/** Takes an append of the message's quota, or refuses. It counts instead of a request. */
export function countAppend({ appendQuotas }: Services, { applicationId }: BotApiActor, request: FastifyRequest): void {
  const { messageId = '' } = request.params as { readonly messageId?: string }
  const remaining = appendQuotas.take(applicationId, messageId.toLowerCase())
  requireLeft(request, remaining, STREAM_LIMITS.appends, 'appends a second for each message')
}

/** Counts suggestions against their own quota instead of that of requests, or refuses them. */
export function countSuggestions(
  { suggestionQuotas }: Services,
  { applicationId }: BotApiActor,
  request: FastifyRequest,
): void {
  const remaining = suggestionQuotas.takeAnswer(applicationId)
  requireLeft(request, remaining, SUGGESTION_LIMITS.requests, 'answers with suggestions a second')
}

function requireLeft(request: FastifyRequest, remaining: number | undefined, limit: number, what: string): void {
  request.requestsLeft = { limit, remaining: remaining ?? 0 }
  if (remaining !== undefined) return
  const message = `The quota of ${limit} ${what} is used up; wait 1 s.`
  throw new Refusal('tooManyRequests', { message, retryAfterSec: 1 })
}

/** Takes a write of the application's quota, or refuses. Returns the function that gives it back. */
export async function chargeWrite(
  { quotas, applicationNotifier }: Services,
  { applicationId, quotas: { writes } }: BotApiActor,
  request: FastifyRequest,
): Promise<() => void> {
  const taken = await quotas.take(writes.subject, writes.limit)
  request.writesLeft = { limit: writes.limit, remaining: 'retryAfterSec' in taken ? 0 : taken.remaining }
  if ('retryAfterSec' in taken) throw quotaExceeded('writes', writes, taken.retryAfterSec)
  applicationNotifier.notify(applicationId, 'usage')
  return () => {
    taken.giveBack()
    request.writesLeft = null
    applicationNotifier.notify(applicationId, 'usage')
  }
}

/** In milliseconds: how long after the deadline an answer waits for its quota headers. */
const QUOTA_WITHIN = 300

/** Asks for what the request has not learned: it was refused before it counted as a write, or its write was given back. */
function knownWritesLeft(
  { quotas }: Services,
  { authentication, takesWrites, requestsLeft, writesLeft, deadline }: FastifyRequest,
): Left | null | Promise<Left> {
  if (writesLeft !== null) return writesLeft
  if (!authentication || !takesWrites || requestsLeft === null) return null
  const { subject, limit } = authentication.actor.quotas.writes
  const remaining = quotas.remaining(subject, limit)
  if (typeof remaining === 'number') return { limit, remaining }
  const left = remaining.then((known) => ({ limit, remaining: known }))
  return withTimeout(left, deadline.left + QUOTA_WITHIN)
}

/** The tightest quota of the route: a client that respects it never gets a 429. */
function tightest({ authentication, requestsLeft }: FastifyRequest, writesLeft: Left | null): Left {
  if (!authentication) return { limit: LIMITS.requestQuota, remaining: LIMITS.requestQuota }
  const left = requestsLeft ?? { limit: authentication.actor.quotas.requests.limit, remaining: 0 }
  return writesLeft && writesLeft.remaining < left.remaining ? writesLeft : left
}

function quotaExceeded(what: string, { limit }: Quota, retryAfterSec: number): Refusal {
  return new Refusal('tooManyRequests', {
    message: `The quota of ${limit} ${what} per ${LIMITS.quotaWindow} seconds is used up; wait ${retryAfterSec} s.`,
    retryAfterSec,
  })
}
