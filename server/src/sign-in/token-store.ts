import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { hashToken } from '../accounts/session-token.ts'
import { updateConsentUse } from '../consents/consents.ts'
import { isWriteConflict } from '../db/violations.ts'
import type { Services } from '../operations/services.ts'
import { errors } from './oidc-errors.ts'
import { Provider } from './oidc-library.ts'
import { instantOf, secondsOf, withExpiry } from './payload.ts'
import { allowedBy, scopesToRefresh } from './scopes.ts'

export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

type TokenStore = Pick<Adapter, 'upsert' | 'find' | 'consume' | 'destroy' | 'revokeByGrantId'>

/**
 * Of each kind, for one sign-in. A website that refreshes every hour has 720 used refresh tokens that haven't expired; for one
 * that refreshes all the time, the oldest ones are deleted, and using those again is no longer recognized as theft.
 */
const MOST_TOKENS = 1000

interface Row {
  payload: AdapterPayload
  expires_at: string
  consumed_at: string | null
  /** Used so recently that a second use is a race or a lost response, not theft. */
  justConsumed: boolean
}

/**
 * Stores codes and tokens by their hashes: nothing in the database can be used as a token. Each references its grant, so
 * that none can be written while the grant is being deleted.
 */
export function tokenStore({ database: { kysely } }: Services, kind: TokenKind): TokenStore {
  const revokeByGrantId = async (grantId: string): Promise<void> => {
    await kysely.deleteFrom('oauth_grants').where('id', '=', grantId).execute()
  }
  return {
    upsert: async (id, { jti: _jti, ...payload }) => {
      const { grantId, scope } = payload
      try {
        await sql`
          WITH used AS (
            ${updateConsentUse(grantId, kind === 'AccessToken')}
          ), oldest AS (
            DELETE FROM oauth_tokens WHERE id_hash IN (
              SELECT id_hash FROM oauth_tokens WHERE grant_id = ${grantId} AND kind = ${kind}
              ORDER BY expires_at DESC OFFSET ${MOST_TOKENS - 1}
            )
          )
          INSERT INTO oauth_tokens (id_hash, kind, grant_id, scopes, payload, expires_at)
          VALUES (${hashToken(id)}, ${kind}, ${grantId}, ${allowedBy(scope)},
            ${JSON.stringify(payload)}::json, ${instantOf(payload)})`.execute(kysely)
      } catch (error) {
        if (!isWriteConflict(error)) throw error
        throw kind === 'AuthorizationCode'
          ? new errors.AccessDenied('the consent was withdrawn')
          : new errors.InvalidGrant('grant not found')
      }
    },

    find: async (id) => {
      const { rows } = await sql<Row>`
        SELECT payload, expires_at, consumed_at,
          coalesce(consumed_at > now() - make_interval(secs => ${LIMITS.refreshRace}), false) AS "justConsumed"
        FROM oauth_tokens WHERE id_hash = ${hashToken(id)} AND kind = ${kind}`.execute(kysely)
      const [row] = rows
      if (!row) return undefined
      const { consumed_at, justConsumed } = row
      if (kind === 'RefreshToken' && isExchange()) {
        if (justConsumed) throw alreadyUsed()
        readScopesOfRefresh(row.payload.scope)
      }
      return { ...withExpiry(row), jti: id, ...(consumed_at !== null && { consumed: secondsOf(consumed_at) }) }
    },

    // Exactly one of any number of concurrent uses succeeds.
    consume: async (id) => {
      const consumed = await kysely
        .updateTable('oauth_tokens')
        .set({ consumed_at: sql`now()` })
        .where('id_hash', '=', hashToken(id))
        .where('consumed_at', 'is', null)
        .returning('id_hash')
        .executeTakeFirst()
      if (consumed) return
      if (kind === 'AuthorizationCode') await revokeGrantOf(id)
      throw alreadyUsed()
    },

    destroy: async (id) => {
      await kysely.deleteFrom('oauth_tokens').where('id_hash', '=', hashToken(id)).execute()
    },

    revokeByGrantId,
  }

  /** A code that is used twice is treated as stolen: the first user may be the thief. */
  async function revokeGrantOf(id: string): Promise<void> {
    const token = await kysely
      .selectFrom('oauth_tokens')
      .select('grant_id')
      .where('id_hash', '=', hashToken(id))
      .executeTakeFirst()
    if (token) await revokeByGrantId(token.grant_id)
  }
}

/** Introspection and revocation may read used tokens; only at the token endpoint is it a second use. */
function isExchange(): boolean {
  return Provider.ctx?.oidc.route === 'token'
}

/** Libraries send the scope of their settings again when they refresh: it is read as it was at authorization. */
function readScopesOfRefresh(granted: string | undefined): void {
  const { params } = Provider.ctx?.oidc ?? {}
  if (params?.['scope'] !== undefined) params['scope'] = scopesToRefresh(params['scope'], granted)
}

function alreadyUsed(): Error {
  return new errors.InvalidGrant('already used')
}
