import { LIMITS, type Operation } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refusalByScope } from '../applications/refusal-by-scope.ts'
import type { ForeseenPlace, PlaceInput } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import type { Quota } from '../quotas/quotas.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import { chain, type MaybePromise } from '../db/maybe-promise.ts'
import { answerNotFound } from './allowed-methods.ts'
import { authenticateBot, type KnownBot } from './authenticate-bot.ts'
import { authenticateUser, type KnownUser } from './authenticate-user.ts'
import { botOperations, userOperations } from './bot-operations.ts'
import { inputValidator, UUID } from './validate-input.ts'
import { botOpenapiRoute } from './openapi-routes.ts'
import { perform, type Handlers, type PerformOptions } from '../operations/perform.ts'
import { requireLease } from './require-lease.ts'
import { answerSchema, sendOutcome } from './send-outcome.ts'

export const BOT_BASE = '/api/v1'

/** The quota headers of a request that was not counted, because nobody knows whose it is. */
export const UNCOUNTED = {
  'x-ratelimit-limit': String(LIMITS.requestQuota),
  'x-ratelimit-remaining': String(LIMITS.requestQuota),
}

type KnownCaller = KnownBot | KnownUser

interface Authenticated {
  readonly caller: KnownCaller
  /** How it stands in the place that the address names. */
  readonly place?: ForeseenPlace
}

interface LetIn extends Authenticated {
  /** It counts against the quota of writes as well. */
  readonly isWrite: boolean
  /** What nothing has changed of, as long as it is the same; undefined: it may have. */
  readonly since: object | undefined
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

type Authenticate = (services: Services, request: FastifyRequest, operation: Operation) => MaybePromise<Authenticated>

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the bot API once the key or the user token was accepted. */
    letIn: LetIn | null
  }
}

/**
 * The bot API. Every request goes one way: key or user token, request quota, scope, form, installation, room, right,
 * object, write quota. The first three are hooks, so that they come before the body is read; the form is checked first
 * thing in the handler; place and right are judged by `perform`; the object and the write quota belong to the operation.
 */
export async function botApi(app: FastifyInstance, services: Services, handlers: Handlers): Promise<void> {
  await app.register(
    async (api) => {
      api.decorateRequest('letIn', null)
      api.addHook('onSend', (request, reply, _payload, done) => {
        const { limit, remaining } = tightest(services, request)
        void reply.header('x-ratelimit-limit', limit).header('x-ratelimit-remaining', remaining)
        done()
      })
      requireLease(api, services)
      api.setNotFoundHandler(answerNotFound)
      botOpenapiRoute(api, services)
      for (const [name, operation] of botOperations) route(api, services, handlers, name, operation, byKey)
      for (const [name, operation] of userOperations) route(api, services, handlers, name, operation, byUserToken)
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
  authenticate: Authenticate,
): void {
  const performer = handlers[name]
  if (!performer) throw new Error(`no code carries out ${name}`)
  const [method = '', url = ''] = operation.at.split(' ')
  const validate = inputValidator(operation)

  api.route({
    method,
    url,
    config: { operation: name },
    ...answerSchema(operation),
    onRequest: (request, _reply, done) => {
      // Before anything is read: what changes while it is read has changed since.
      const since = authenticate === byKey ? services.database.accessCache.generation : undefined
      const entered = chain(authenticate(services, request, operation), ({ caller, place }) => {
        request.letIn = letIn(caller, place, operation, since)
        return chain(takeRequest(services, caller), () => requireScope(caller, operation))
      })
      return entered instanceof Promise ? entered : done()
    },
    handler: (request, reply) => {
      const judged = isStillTrue(services, request) ? undefined : judgeAnew(services, request, operation, authenticate)
      const performed = chain(judged, () => {
        const { caller, place } = authenticated(request)
        const input = validate(request)
        return perform(
          services,
          caller,
          operation,
          performer,
          input,
          optionsOf(services, caller, place, operation, request),
        )
      })
      return chain(performed, (outcome) => sendOutcome(reply, operation, outcome))
    },
  })
}

/**
 * A body can be held back for a minute. Whoever lost the key or a right meanwhile must not get by on what was true when
 * the request began.
 */
function isStillTrue({ database: { accessCache } }: Services, { letIn, method }: FastifyRequest): boolean {
  return method === 'GET' || (letIn?.since !== undefined && letIn.since === accessCache.generation)
}

async function judgeAnew(
  services: Services,
  request: FastifyRequest,
  operation: Operation,
  authenticate: Authenticate,
): Promise<void> {
  const { caller, place } = await authenticate(services, request, operation)
  requireScope(caller, operation)
  request.letIn = letIn(caller, place, operation, undefined)
}

function letIn(
  caller: KnownCaller,
  place: ForeseenPlace | undefined,
  { quota }: Operation,
  since: object | undefined,
): LetIn {
  const isWrite = quota === 'write'
  return place ? { caller, place, isWrite, since } : { caller, isWrite, since }
}

function byKey(services: Services, request: FastifyRequest, operation: Operation): MaybePromise<Authenticated> {
  return authenticateBot(services, request.headers.authorization, placeIn(request, operation))
}

async function byUserToken(services: Services, { headers }: FastifyRequest): Promise<Authenticated> {
  return { caller: await authenticateUser(services, headers.authorization) }
}

/** What the address alone says of the place; the body may say more. What is no id is left to the form to refuse. */
function placeIn(request: FastifyRequest, { access }: Operation): PlaceInput {
  const place: Writable<PlaceInput> = {}
  if (!access || access.exclusive) return place
  const channelId = idIn(request, 'channelId')
  if (channelId !== undefined) place.channelId = channelId
  const roomId = access.room && idIn(request, 'roomId')
  if (roomId !== undefined) place.roomId = roomId
  return place
}

function idIn({ params, query }: FastifyRequest, name: string): string | undefined {
  const said = [params, query] as readonly Record<string, unknown>[]
  const value = said.find((given) => Object.hasOwn(given, name))?.[name]
  return typeof value === 'string' && UUID.test(value) ? value : undefined
}

function takeRequest(
  { quotas, applicationNotifier }: Services,
  { applicationId, quotas: { requests } }: KnownCaller,
): MaybePromise<void> {
  return chain(quotas.take(requests.subject, requests.limit), (taken) => {
    if ('retryAfterSec' in taken) throw quotaExceeded('requests', requests, taken.retryAfterSec)
    applicationNotifier.notify(applicationId, 'usage')
  })
}

function requireScope({ scopes }: KnownCaller, operation: Operation): void {
  const refusal = refusalByScope(scopes, operation)
  if (refusal) throw refusal
}

function optionsOf(
  { quotas, applicationNotifier }: Services,
  caller: KnownCaller,
  place: ForeseenPlace | undefined,
  operation: Operation,
  request: FastifyRequest,
): PerformOptions {
  const options: Writable<PerformOptions> = {}
  if (place) options.foreseen = place
  const key = operation.idempotent ? idempotencyKey(request) : undefined
  if (key !== undefined) options.idempotencyKey = key
  if (operation.quota === 'write') {
    options.charge = async () => {
      const { writes } = caller.quotas
      const taken = await quotas.take(writes.subject, writes.limit)
      if ('retryAfterSec' in taken) throw quotaExceeded('writes', writes, taken.retryAfterSec)
      applicationNotifier.notify(caller.applicationId, 'usage')
      return () => {
        taken.giveBack()
        applicationNotifier.notify(caller.applicationId, 'usage')
      }
    }
  }
  return options
}

/** Shared with the portal: people's sends are repeated safely, too. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key === 'string' && /^[!-~]{1,64}$/.test(key)) return key
  throw wrongField('Idempotency-Key', 'must be 1–64 visible ASCII characters')
}

/** The tightest quota that governs the route: a client that obeys it never meets a 429. */
function tightest({ quotas }: Services, { letIn }: FastifyRequest): { limit: number; remaining: number } {
  if (!letIn) return { limit: LIMITS.requestQuota, remaining: LIMITS.requestQuota }
  const { requests, writes } = letIn.caller.quotas
  const ofRequests = quotas.remaining(requests.subject, requests.limit)
  const ofWrites = letIn.isWrite ? quotas.remaining(writes.subject, writes.limit) : Infinity
  return ofWrites < ofRequests
    ? { limit: writes.limit, remaining: ofWrites }
    : { limit: requests.limit, remaining: ofRequests }
}

function quotaExceeded(what: string, { limit }: Quota, retryAfterSec: number): Refusal {
  return new Refusal('tooManyRequests', {
    message: `The quota of ${limit} ${what} per ${LIMITS.quotaWindow} seconds is used up; wait ${retryAfterSec} s.`,
    retryAfterSec,
  })
}

function authenticated({ letIn }: FastifyRequest): LetIn {
  if (!letIn) throw new Refusal('unauthorized')
  return letIn
}
