import { findSession } from '../accounts/find-session.ts'
import type { Services } from '../operations/services.ts'
import { botReceiver, type BotDuties } from './bot-receiver.ts'
import { readEventToken } from './event-token.ts'
import { personReceiver } from './person-receiver.ts'
import { CLOSES, ERRORS } from '../events/stream-codes.ts'
import { type ConnectRequest } from './protocol.ts'
import type { Admission } from './receiver.ts'
import { botOfToken, claimStream, isDisplaced, noteStreams, noteToken, releaseStream } from './stream-owner.ts'

export interface Caller {
  readonly address: string
  readonly sessionToken: string | undefined
}

/** A bot authenticates with a token, a person with their session cookie. */
export async function admit(services: Services, caller: Caller, request: ConnectRequest): Promise<Admission> {
  return request.token === '' ? admitPerson(services, caller) : admitBot(services, caller, request)
}

async function admitPerson(services: Services, { sessionToken }: Caller): Promise<Admission> {
  const person = sessionToken === undefined ? undefined : await findSession(services, sessionToken)
  if (!person || sessionToken === undefined) return { close: CLOSES.invalidToken }
  return { receiver: personReceiver(services.database.pool, { accountId: person.id, sessionToken }) }
}

async function admitBot(services: Services, { address }: Caller, request: ConnectRequest): Promise<Admission> {
  // The database stores no NUL.
  if (request.name.includes('\0') || request.version.includes('\0')) return { error: ERRORS.badRequest }
  const { kysely, pool } = services.database
  const claims = readEventToken(services.secret, request.token)
  if (!claims) return { close: CLOSES.invalidToken }
  if (claims.expiresAt <= Date.now() / 1000) return { error: ERRORS.tokenExpired }
  const bot = await botOfToken(pool, claims)
  if (!bot) return { close: CLOSES.invalidToken }

  const client = `${request.name} ${request.version}`.trim().slice(0, 80)
  const claimed = await claimStream(kysely, { claims, client, address })
  if ('error' in claimed) return { error: claimed.error }

  const { applicationId } = claims
  const { generation } = claimed
  services.applicationNotifier.notify(applicationId, 'stream')
  await services.bus.publish('streams', bot.botId)
  return { receiver: botReceiver(pool, { ...bot, applicationId, generation, claims }, createDuties(services)) }
}

function createDuties({ database: { kysely, pool }, secret, applicationNotifier }: Services): BotDuties {
  return {
    refresh: async ({ applicationId, generation }, token) => {
      const claims = readEventToken(secret, token)
      if (!claims || claims.applicationId !== applicationId) return CLOSES.invalidToken
      if (claims.expiresAt <= Date.now() / 1000) return CLOSES.expired
      if (!(await botOfToken(pool, claims))) return CLOSES.invalidToken
      await noteToken(kysely, claims, generation)
      return { expiresAt: claims.expiresAt }
    },
    isKeyValid: async (claims) => (await botOfToken(pool, claims)) !== undefined,
    isDisplaced: (key) => isDisplaced(pool, key),
    reached: async (key, progress) => {
      await noteStreams(pool, [{ key, progress }])
      applicationNotifier.notify(key.applicationId, 'stream')
    },
    left: async (key, progress) => {
      await releaseStream(kysely, key, progress)
      applicationNotifier.notify(key.applicationId, 'stream')
    },
  }
}
