import { LIMITS, type Operation } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../operations/services.ts'
import type { CallOptions } from '../operations/transaction.ts'
import type { Quota } from '../quotas/quotas.ts'
import { withTimeout } from '../outbound/with-timeout.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import { answerNotFound } from './allowed-methods.ts'
import { authenticateBot } from './authenticate-bot.ts'
import { authenticateUser } from './authenticate-user.ts'
import {
  authenticator,
  byKey,
  byUserToken,
  requireScope,
  type BotApiActor,
  type FindCaller,
} from './authenticate-request.ts'
import { botOperations, userOperations } from './bot-operations.ts'
import { performUpload, takeFiles } from './file-body.ts'
import { inputValidator } from './validate-input.ts'
import { botOpenapiRoute } from './openapi-routes.ts'
import { perform, type Handlers } from '../operations/perform.ts'
import { requireLease } from './require-lease.ts'
import { answerSchema, sendOutcome } from './send-outcome.ts'
import type { UploadSlots } from './upload-slots.ts'

export const BOT_BASE = '/api/v1'

/** The quota headers of a request without a valid key or token, which is not counted. */
export const UNCOUNTED = {
  'x-ratelimit-limit': String(LIMITS.requestQuota),
  'x-ratelimit-remaining': String(LIMITS.requestQuota),
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation counts against the write quota as well. */
    takesWrites: boolean
    /** What was left when the request was counted. Null: it was not. */
    requestsLeft: number | null
    writesLeft: number | null
  }
}

/**
 * The bot API. Every request passes the same checks in this order: key or user token, request quota, scope, input,
 * installation, room, right, object, write quota. The first three run in a hook, before the body is read; the handler
 * validates the input; `perform` authorizes the place; the operation checks the object and takes the write quota.
 */
export async function botApi(
  app: FastifyInstance,
  services: Services,
  handlers: Handlers,
  slots: UploadSlots,
): Promise<void> {
  await app.register(
    async (api) => {
      api.decorateRequest('authentication', null)
      api.decorateRequest('takesWrites', false)
      api.decorateRequest('requestsLeft', null)
      api.decorateRequest('writesLeft', null)
      api.addHook('onSend', (request, reply, _payload, done) => {
        const writesLeft = knownWritesLeft(services, request)
        const finish = (left: number): void => {
          // Meanwhile the request may have been answered by its deadline.
          if (reply.raw.headersSent) return
          const { limit, remaining } = tightest(request, left)
          void reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', remaining)
          done()
        }
        if (typeof writesLeft === 'number') return finish(writesLeft)
        writesLeft.catch(() => Infinity).then(finish, done)
      })
      requireLease(api, services)
      api.addHook('onRequest', async (request) => {
        if (request.routeOptions.config.operation === undefined) await readQuota(services, request)
      })
      api.setNotFoundHandler(answerNotFound)
      botOpenapiRoute(api, services)
      for (const [name, operation] of botOperations) {
        if (!operation.takes) route(api, services, handlers, name, operation, byKey)
      }
      for (const [name, operation] of userOperations) route(api, services, handlers, name, operation, byUserToken)
      await api.register(async (scope) => {
        takeFiles(scope)
        for (const [name, operation] of botOperations) {
          if (operation.takes === 'file') route(scope, services, handlers, name, operation, byKey, slots)
        }
      })
    },
    { prefix: BOT_BASE },
  )
}

function route(
  api: FastifyInstance,
  services: Services,
  handlers: Handlers,
  name: string,
  operation: Operation,
  findCaller: FindCaller,
  slots?: UploadSlots,
): void {
  const handler = handlers[name]
  if (!handler) throw new Error(`there is no handler for ${name}`)
  const [method = '', url = ''] = operation.at.split(' ')
  const validate = inputValidator(operation)
  const { authenticate, confirm, authenticateAgain } = authenticator(services, operation, findCaller)

  api.route({
    method,
    url,
    config: { operation: name },
    ...answerSchema(operation),
    onRequest: async (request) => {
      const caller = await authenticate(request)
      request.takesWrites = operation.quota === 'write'
      request.requestsLeft = await countRequest(services, caller.actor)
      requireScope(caller, operation)
    },
    handler: async (request, reply) => {
      const caller = await confirm(request)
      const input = validate(request)
      const options = optionsOf(services, caller.actor, operation, request)
      if (slots) {
        const again = () => authenticateAgain(request)
        const upload = { reply, caller, authenticateAgain: again, operation, handler, input, options }
        return sendOutcome(reply, operation, await performUpload(services, slots, upload))
      }
      return sendOutcome(reply, operation, await perform(services, caller, operation, handler, input, options))
    },
  })
}

/** What isn't an operation, such as an unknown route, counts for nothing, but says what is left to a caller who is known. */
async function readQuota(services: Services, request: FastifyRequest): Promise<void> {
  const { authorization } = request.headers
  if (authorization === undefined) return
  try {
    const actor = /^bearer /i.test(authorization)
      ? await authenticateUser(services, authorization)
      : (await authenticateBot(services, authorization)).actor
    const { requests } = actor.quotas
    request.requestsLeft = await services.quotas.remaining(requests.subject, requests.limit)
    request.authentication = { actor, isFinal: true }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}

/** Takes a request of the application's quota, or refuses. Returns how many are left. */
export async function countRequest(
  { quotas, applicationNotifier }: Services,
  { applicationId, quotas: { requests } }: BotApiActor,
): Promise<number> {
  const taken = await quotas.take(requests.subject, requests.limit)
  if ('retryAfterSec' in taken) throw quotaExceeded('requests', requests, taken.retryAfterSec)
  applicationNotifier.notify(applicationId, 'usage')
  return taken.remaining
}

function optionsOf(
  { quotas, applicationNotifier }: Services,
  { applicationId, quotas: { writes } }: BotApiActor,
  operation: Operation,
  request: FastifyRequest,
): CallOptions {
  const options: Writable<CallOptions> = {}
  const key = operation.idempotent ? idempotencyKey(request) : undefined
  if (key !== undefined) options.idempotencyKey = key
  if (operation.quota === 'write') {
    options.charge = async () => {
      const taken = await quotas.take(writes.subject, writes.limit)
      request.writesLeft = 'retryAfterSec' in taken ? 0 : taken.remaining
      if ('retryAfterSec' in taken) throw quotaExceeded('writes', writes, taken.retryAfterSec)
      applicationNotifier.notify(applicationId, 'usage')
      return () => {
        taken.giveBack()
        request.writesLeft = null
        applicationNotifier.notify(applicationId, 'usage')
      }
    }
  }
  return options
}

/** Shared with the portal API: people can repeat requests safely, too. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[!-~]{1,64}$/.test(key)) return key
  throw wrongField('Idempotency-Key', 'must be 1–64 visible ASCII characters')
}

/** In milliseconds: how long an answer at the deadline waits for its quota headers. */
const QUOTA_WITHIN = 300

/** Asks for what the request has not learned: it was refused before it counted as a write, or its write was given back. */
function knownWritesLeft(
  { quotas }: Services,
  { authentication, takesWrites, requestsLeft, writesLeft, deadline }: FastifyRequest,
): number | Promise<number> {
  if (writesLeft !== null) return writesLeft
  if (!authentication || !takesWrites || requestsLeft === null) return Infinity
  const { writes } = authentication.actor.quotas
  const left = quotas.remaining(writes.subject, writes.limit)
  return typeof left === 'number' || !deadline.isOver ? left : withTimeout(left, QUOTA_WITHIN)
}

/** The tightest quota of the route: a client that respects it never gets a 429. */
function tightest(
  { authentication, requestsLeft }: FastifyRequest,
  writesLeft: number,
): { limit: number; remaining: number } {
  if (!authentication) return { limit: LIMITS.requestQuota, remaining: LIMITS.requestQuota }
  const { requests, writes } = authentication.actor.quotas
  const left = requestsLeft ?? 0
  return writesLeft < left ? { limit: writes.limit, remaining: writesLeft } : { limit: requests.limit, remaining: left }
}

function quotaExceeded(what: string, { limit }: Quota, retryAfterSec: number): Refusal {
  return new Refusal('tooManyRequests', {
    message: `The quota of ${limit} ${what} per ${LIMITS.quotaWindow} seconds is used up; wait ${retryAfterSec} s.`,
    retryAfterSec,
  })
}
