import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Operation } from '@portico/contract'
import type { FastifyRequest } from 'fastify'
import { refusalByScope } from '../applications/refusal-by-scope.ts'
import type { Caller } from '../operations/authorize.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import { authenticateBot, type KnownBot } from './authenticate-bot.ts'
import { authenticateUser, type KnownUser } from './authenticate-user.ts'
import { placeIn } from './place-in.ts'

export type BotApiActor = KnownBot | KnownUser

/** Who calls the bot API: a bot, or a website for a person. */
export interface BotApiCaller extends Caller {
  readonly actor: BotApiActor
  /** Of the access cache when this was read: while it is the same, nothing has changed. Absent: that is unknown. */
  readonly generation?: object | undefined
}

export interface Authentication extends BotApiCaller {
  /** Whether the whole request was there before this was read. */
  readonly isFinal: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the bot API once the key or the user token was accepted. */
    authentication: Authentication | null
  }
}

/** Reads who makes a request. */
export type FindCaller = (services: Services, request: FastifyRequest, operation: Operation) => Promise<BotApiCaller>

export function byKey(services: Services, request: FastifyRequest, operation: Operation): Promise<BotApiCaller> {
  return authenticateBot(services, request.headers.authorization, placeIn(request, operation))
}

export async function byUserToken(services: Services, { headers }: FastifyRequest): Promise<BotApiCaller> {
  return { actor: await authenticateUser(services, headers.authorization) }
}

/** Authenticates the requests of one operation. */
export interface Authenticator {
  /** With the headers, before the body is read. */
  readonly authenticate: (request: FastifyRequest) => Promise<Authentication>
  /**
   * When the body is complete. A client can take a minute to send it: if the key or a right was revoked meanwhile, the request
   * is refused. Nothing is read again where nothing can have changed.
   */
  readonly confirm: (request: FastifyRequest) => Promise<Authentication>
  /** Reads it again in any case. */
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Authentication>
}

export function authenticator(services: Services, operation: Operation, findCaller: FindCaller): Authenticator {
  const { accessCache } = services.database
  const hasBody = !operation.at.startsWith('GET ')
  const authenticateAgain = async (request: FastifyRequest): Promise<Authentication> => {
    const caller = await findCaller(services, request, operation)
    requireScope(caller, operation)
    return (request.authentication = { ...caller, isFinal: true })
  }
  return {
    authenticate: async (request) => {
      // In the next turn a body that came with the headers has been parsed.
      if (hasBody && accessCache.generation === undefined) await nextTurn()
      const isFinal = !hasBody || request.raw.complete
      const caller = await findCaller(services, request, operation)
      return (request.authentication = { ...caller, isFinal })
    },
    confirm: async (request) => {
      const { authentication } = request
      if (!authentication) throw new Refusal('unauthorized')
      const { isFinal, generation } = authentication
      const isCurrent = isFinal || (generation !== undefined && generation === accessCache.generation)
      return isCurrent ? authentication : authenticateAgain(request)
    },
    authenticateAgain,
  }
}

export function requireScope({ actor }: BotApiCaller, operation: Operation): void {
  const refusal = refusalByScope(actor.scopes, operation)
  if (refusal) throw refusal
}
