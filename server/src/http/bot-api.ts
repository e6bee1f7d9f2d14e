import type { Operation } from '@portico/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../operations/services.ts'
import type { CallOptions } from '../operations/transaction.ts'
import { wrongField } from '../operations/refusal.ts'
import { answerNotFound } from './allowed-methods.ts'
import {
  authenticator,
  byKey,
  byUserToken,
  requireScope,
  type BotApiActor,
  type FindCaller,
} from './authenticate-request.ts'
import { botOperations, userOperations } from './bot-operations.ts'
import { chargeWrite, countAppend, countRequest, countSuggestions, readQuota, sendQuotaHeaders } from './bot-quotas.ts'
import { performUpload, takeFiles } from './file-body.ts'
import { inputValidator } from './validate-input.ts'
import { botOpenapiRoute } from './openapi-routes.ts'
import { perform, type Handlers } from '../operations/perform.ts'
import { requireLease } from './require-lease.ts'
import { answerSchema, sendOutcome } from './send-outcome.ts'
import type { UploadSlots } from './upload-slots.ts'

export const BOT_BASE = '/api/v1'

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
      sendQuotaHeaders(api, services)
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
      if (operation.quota === 'append') countAppend(services, caller.actor, request)
      else if (operation.quota === 'suggest') countSuggestions(services, caller.actor, request)
      else request.requestsLeft = await countRequest(services, caller.actor)
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

function optionsOf(services: Services, actor: BotApiActor, operation: Operation, request: FastifyRequest): CallOptions {
  return {
    ...(operation.idempotent && idempotencyOf(request)),
    ...(operation.quota === 'write' && { charge: () => chargeWrite(services, actor, request) }),
  }
}

/** Shared with the portal API: people can repeat requests safely, too. */
export function idempotencyOf({
  headers,
}: FastifyRequest): Pick<CallOptions, 'idempotencyKey' | 'idempotencyComparesKey'> {
  const { 'idempotency-key': key, 'idempotency-compare': compare = 'request' } = headers
  if (compare !== 'request' && compare !== 'key') throw wrongField('Idempotency-Compare', 'must be request or key')
  if (key === undefined) return {}
  if (typeof key !== 'string' || !/^[!-~]{1,64}$/.test(key)) {
    throw wrongField('Idempotency-Key', 'must be 1–64 visible ASCII characters')
  }
  return { idempotencyKey: key, ...(compare === 'key' && { idempotencyComparesKey: true }) }
}
