import type { Operation } from '@portico/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Actor } from '../operations/actor.ts'
import { findSession } from '../accounts/find-session.ts'
import { operations, performers } from '../app.ts'
import type { Parts } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { idempotencyKey } from './bot-face.ts'
import { formOf } from './form.ts'
import { peopleLimits, type PeopleLimits } from './limit-people.ts'
import { perform } from '../operations/perform.ts'
import { beginUpload, receivePicture, takePictures } from './picture-body.ts'
import { refuseForeignOrigin } from './refuse-foreign-origin.ts'
import { answerSchema, sendOutcome } from './send-outcome.ts'
import { clearSessionCookie, readSessionCookie, writeSessionCookie } from './session-cookie.ts'
import { readDeviceCookie, writeDeviceCookie } from './session-cookie.ts'
import { UploadSlots } from './upload-slots.ts'

/** A file has up to 8 MiB. */
const UPLOADS = { ofOne: 2, ofAll: 12 }

export const PORTAL_BASE = '/portal/v1'

interface Bounds {
  readonly slots: UploadSlots
  readonly limits: PeopleLimits
}

/** The API of people's own portal: the operations that a person may call, with a cookie session. */
export function portalFace(app: FastifyInstance, parts: Parts): void {
  const bounds = { slots: new UploadSlots(UPLOADS), limits: peopleLimits(parts.config.RATE_LIMIT_FACTOR) }
  const ofPeople = [...operations].filter(([, { by }]) => by !== 'bot' && by !== 'user')
  for (const [name, operation] of ofPeople) {
    if (!operation.takes) app.route(routeOf(parts, name, operation, bounds))
  }
  app.register(async (scope) => {
    takePictures(scope)
    for (const [name, operation] of ofPeople) {
      if (operation.takes) scope.route(routeOf(parts, name, operation, bounds))
    }
  })
}

function routeOf(parts: Parts, name: string, operation: Operation, { slots, limits }: Bounds): RouteOptions {
  const performer = performers[name]
  if (!performer) throw new Error(`no code carries out ${name}`)
  const [method = '', path = ''] = operation.at.split(' ')
  const form = formOf(operation)
  return {
    method,
    url: PORTAL_BASE + path,
    config: { operation: name },
    ...answerSchema(operation),
    onRequest: async (request, reply) => {
      refuseForeignOrigin(request, parts.config)
      limits.takeForAddress(request.ip)
      if (operation.takes) await beginUpload(parts, slots, await personOf(parts, request, operation), reply)
    },
    handler: async (request, reply) => {
      const actor = await personOf(parts, request, operation)
      limits.takeForPerson(actor, name, operation)
      const key = operation.idempotent && idempotencyKey(request)
      const terms = key ? { idempotencyKey: key } : {}
      const input = form(request)
      const picture = operation.takes && (await receivePicture(request.body))
      const outcome = await perform(parts, actor, operation, performer, picture ? { ...input, picture } : input, terms)
      if (outcome.session !== undefined) setSession(parts, reply, outcome.session)
      if (outcome.device !== undefined) writeDeviceCookie(reply, parts.config, outcome.device)
      return sendOutcome(reply, operation, outcome)
    },
  }
}

async function personOf(parts: Parts, request: FastifyRequest, operation: Operation): Promise<Actor> {
  if (operation.by === 'anyone') {
    const device = request.headers['user-agent'] ?? ''
    return { kind: 'nobody', address: request.ip, device, deviceToken: readDeviceCookie(request, parts.config) }
  }
  const token = readSessionCookie(request, parts.config)
  const person = token === undefined ? undefined : await findSession(parts, token)
  if (!person) throw new Refusal('unauthorized', { message: 'Sign in first.', reason: 'not_signed_in' })
  if (operation.by === 'administrator' && !person.isAdministrator) {
    throw new Refusal('forbidden', { message: 'This is for administrators.', reason: 'not_an_administrator' })
  }
  return person
}

function setSession(parts: Parts, reply: FastifyReply, token: string | null): void {
  if (token === null) clearSessionCookie(reply, parts.config)
  else writeSessionCookie(reply, parts.config, token)
}
