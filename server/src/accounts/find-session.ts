import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import type { Person } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { hashToken } from './session-token.ts'

/** Last use is stored to the minute, so that not every request is a write. */
const TOUCH_AFTER = '1 minute'

/** A person, and when they last entered their password. */
export interface SignedInPerson extends Person {
  readonly signedInAt: string
}

/** The person that this session token belongs to; undefined if it has ended. */
export async function findSession(services: Services, token: string): Promise<SignedInPerson | undefined> {
  const row = await services.database.kysely
    .selectFrom('sessions as s')
    .innerJoin('accounts as a', 'a.id', 's.account_id')
    .select(['s.id as sessionId', 's.created_at as signedInAt'])
    .select([
      'a.id',
      'a.name',
      'a.is_administrator as isAdministrator',
      'a.avatar',
      'a.avatar_version as avatarVersion',
    ])
    .select(sql<boolean>`s.last_used_at < now() - ${TOUCH_AFTER}::interval`.as('stale'))
    .where('s.token_hash', '=', hashToken(token))
    .where('s.last_used_at', '>', sql<string>`now() - make_interval(secs => ${LIMITS.sessionLife})`)
    .executeTakeFirst()
  if (!row) return undefined

  const { stale, ...person } = row
  if (stale) {
    await services.database.kysely
      .updateTable('sessions')
      .set({ last_used_at: sql`now()` })
      .where('id', '=', person.sessionId)
      .execute()
  }
  return { kind: 'person', ...person }
}
