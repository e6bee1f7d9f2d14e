import { sql } from 'kysely'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { instantOf, withExpiry } from './payload.ts'

/** The provider's own sessions. They follow those of the portal, see `followPortalSession`. */
export function sessionStore({
  database: { kysely },
}: Services): Pick<Adapter, 'upsert' | 'find' | 'findByUid' | 'destroy'> {
  const findBy = async (column: 'id' | 'uid', value: string) => {
    const row = await kysely
      .selectFrom('oauth_sessions')
      .select([sql<AdapterPayload>`payload`.as('payload'), 'expires_at'])
      .where(column, '=', value)
      .orderBy('expires_at', 'desc')
      .executeTakeFirst()
    return row && withExpiry(row)
  }
  return {
    upsert: async (id, payload) => {
      const row = { payload: JSON.stringify(payload), expires_at: instantOf(payload) }
      await kysely
        .insertInto('oauth_sessions')
        .values({ id, uid: payload.uid ?? id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    find: (id) => findBy('id', id),
    findByUid: (uid) => findBy('uid', uid),
    destroy: async (id) => {
      await kysely.deleteFrom('oauth_sessions').where('id', '=', id).execute()
    },
  }
}

export function interactionStore({ database: { kysely } }: Services): Pick<Adapter, 'upsert' | 'find' | 'destroy'> {
  return {
    upsert: async (id, payload) => {
      // Nobody is signed in: the sign-in page has the request in its address.
      if (payload['session'] === undefined) return
      const row = { payload: JSON.stringify(payload), expires_at: instantOf(payload) }
      await kysely
        .insertInto('oauth_interactions')
        .values({ id, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    find: async (id) => {
      const row = await kysely
        .selectFrom('oauth_interactions')
        .select([sql<AdapterPayload>`payload`.as('payload'), 'expires_at'])
        .where('id', '=', id)
        .executeTakeFirst()
      return row && withExpiry(row)
    },
    destroy: async (id) => {
      await kysely.deleteFrom('oauth_interactions').where('id', '=', id).execute()
    },
  }
}
