import { LIMITS } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { isWriteConflict } from '../db/violations.ts'
import type { Services } from '../operations/services.ts'
import { errors } from './oidc-errors.ts'
import { instantOf, withExpiry } from './payload.ts'

/** One grant for every sign-in, which belongs to the person's consent. Of each consent, the newest ones are kept. */
export function grantStore({ database: { kysely } }: Services): Pick<Adapter, 'upsert' | 'find' | 'destroy'> {
  return {
    upsert: async (id, payload) => {
      const { accountId, clientId } = payload
      try {
        await sql`
          WITH oldest AS (
            DELETE FROM oauth_grants WHERE id IN (
              SELECT id FROM oauth_grants WHERE account_id = ${accountId}::uuid AND application_id = ${clientId}::uuid
              ORDER BY created_at DESC, id DESC OFFSET ${LIMITS.signInsOfWebsite - 1}
            ) AND id <> ${id}
          )
          INSERT INTO oauth_grants (id, account_id, application_id, payload, expires_at)
          VALUES (${id}, ${accountId}::uuid, ${clientId}::uuid, ${JSON.stringify(payload)}::json, ${instantOf(payload)})
          ON CONFLICT (id) DO UPDATE SET payload = EXCLUDED.payload, expires_at = EXCLUDED.expires_at`.execute(kysely)
      } catch (error) {
        if (isWriteConflict(error)) throw new errors.AccessDenied('the consent was withdrawn')
        throw error
      }
    },
    find: async (id) => {
      const row = await kysely
        .selectFrom('oauth_grants')
        .select([sql<AdapterPayload>`payload`.as('payload'), 'expires_at'])
        .where('id', '=', id)
        .executeTakeFirst()
      return row && withExpiry(row)
    },
    destroy: async (id) => {
      await kysely.deleteFrom('oauth_grants').where('id', '=', id).execute()
    },
  }
}

/** Ends all sign-ins of a person: codes and tokens are deleted with their grants. */
export async function revokeGrants(db: Kysely<Tables>, accountId: string): Promise<void> {
  await db.deleteFrom('oauth_grants').where('account_id', '=', accountId).execute()
}
