import { operations, type Operation } from '@portico/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Actor, Person } from '../operations/actor.ts'
import { findSession, findSessionAt } from '../accounts/find-session.ts'
import type { Caller } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { idempotencyOf } from './bot-api.ts'
import { compressAnswer } from './compress-answer.ts'
import { performUpload, takeFiles } from './file-body.ts'
import { inputValidator } from './validate-input.ts'
import type { PeopleLimits } from './limit-people.ts'
import { perform, type Handlers } from '../operations/perform.ts'
import { beginUpload, receivePicture, takePictures } from './picture-body.ts'
import { placeIn } from './place-in.ts'
import { refuseForeignOrigin } from './refuse-foreign-origin.ts'
import { answerSchema, sendOutcome } from './send-outcome.ts'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.ts'
import { readDeviceCookie, writeDeviceCookie } from './session-cookie.ts'
import { UploadSlots } from './upload-slots.ts'

/** A picture is in memory as a whole and has up to 8 MiB. */
const PICTURES = { ofOne: 2, ofAll: 12 }

export const PORTAL_BASE = '/portal/v1'

interface Bounds {
  readonly pictures: UploadSlots
  readonly files: UploadSlots
  readonly limits: PeopleLimits
}

/** The API of the web portal: the operations that a person can call, with a session cookie. */
export function portalApi(
  app: FastifyInstance,
  services: Services,
  handlers: Handlers,
  { files, limits }: Pick<Bounds, 'files' | 'limits'>,
): void {
  const bounds = { pictures: new UploadSlots(PICTURES), files, limits }
  const ofPeople = [...operations].filter(([, { by }]) => by !== 'bot' && by !== 'user')
  for (const [name, operation] of ofPeople) {
    if (!operation.takes) app.route(routeOf(services, handlers, name, operation, bounds))
  }
  app.register(async (scope) => {
    takePictures(scope)
    for (const [name, operation] of ofPeople) {
      if (operation.takes === 'picture') scope.route(routeOf(services, handlers, name, operation, bounds))
    }
  })
  app.register(async (scope) => {
    takeFiles(scope)
    for (const [name, operation] of ofPeople) {
      if (operation.takes === 'file') scope.route(routeOf(services, handlers, name, operation, bounds))
    }
  })
}

function routeOf(
  services: Services,
  handlers: Handlers,
  name: string,
  operation: Operation,
  { pictures, files, limits }: Bounds,
): RouteOptions {
  const handler = handlers[name]
  if (!handler) throw new Error(`there is no handler for ${name}`)
  const [method = '', path = ''] = operation.at.split(' ')
  const validate = inputValidator(operation)
  return {
    method,
    url: PORTAL_BASE + path,
    config: { operation: name },
    ...answerSchema(operation),
    ...(method === 'GET' && operation.output.file === undefined && { onSend: compressAnswer }),
    onRequest: async (request, reply) => {
      refuseForeignOrigin(request, services)
      limits.takeForAddress(request.ip)
      if (operation.takes !== 'picture') return
      await beginUpload(services, pictures, await personOf(services, request, operation), reply)
    },
    handler: async (request, reply) => {
      const caller = await findCaller(services, request, operation)
      if (!caller && operation.output.orSignedOut) return reply.code(204).send()
      if (!caller) throw notSignedIn()
      limits.takeForPerson(caller.actor, name, operation)
      const options = operation.idempotent ? idempotencyOf(request) : {}
      const input = validate(request)
      if (operation.takes === 'file') {
        const authenticateAgain = () => personOf(services, request, operation)
        const upload = { reply, caller, authenticateAgain, operation, handler, input, options }
        return sendOutcome(reply, operation, await performUpload(services, files, upload))
      }
      const picture = operation.takes && (await receivePicture(services, caller.actor, request))
      const outcome = await perform(
        services,
        caller,
        operation,
        handler,
        picture ? { ...input, picture } : input,
        options,
      )
      if (outcome.session !== undefined) setSession(services, reply, outcome.session)
      if (outcome.device !== undefined) writeDeviceCookie(reply, services.config, outcome.device)
      return sendOutcome(reply, operation, outcome)
    },
  }
}

async function personOf(services: Services, request: FastifyRequest, operation: Operation): Promise<Actor> {
  const caller = await findCaller(services, request, operation)
  if (!caller) throw notSignedIn()
  return caller.actor
}

/** Undefined if the operation is for signed-in people and nobody is signed in. */
async function findCaller(
  services: Services,
  request: FastifyRequest,
  operation: Operation,
): Promise<Caller | undefined> {
  if (operation.by === 'anyone') {
    const device = request.headers['user-agent'] ?? ''
    const deviceToken = readDeviceCookie(request, services.config)
    const sessionToken = readSessionCookie(request, services.config)
    return { actor: { kind: 'nobody', address: request.ip, device, deviceToken, sessionToken } }
  }
  const found = await findPerson(services, request, operation)
  if (operation.by === 'administrator' && found && !found.actor.isAdministrator) {
    throw new Refusal('forbidden', { message: 'This is for administrators only.', reason: 'not_an_administrator' })
  }
  return found
}

async function findPerson(
  services: Services,
  request: FastifyRequest,
  operation: Operation,
): Promise<(Caller & { readonly actor: Person }) | undefined> {
  const token = readSessionCookie(request, services.config)
  if (token === undefined) return undefined
  const at = placeIn(request, operation)
  // Much can change while a picture is processed.
  if (operation.takes === 'picture' || Object.keys(at).length === 0) {
    const actor = await findSession(services, token)
    return actor && { actor }
  }
  const found = await findSessionAt(services, token, at)
  return found && { actor: found.person, lookAhead: found.lookAhead }
}

function notSignedIn(): Refusal {
  return new Refusal('unauthorized', { message: 'Sign in first.', reason: 'not_signed_in' })
}

function setSession(services: Services, reply: FastifyReply, token: string | null): void {
  if (token === null) clearSessionCookie(reply, services.config)
  else writeSessionCookie(reply, services.config, token)
}
