import type { Adapter } from 'oidc-provider'
import type { Services } from '../operations/services.ts'

/** How a code or an error is returned to the website. */
export const RESPONSE_MODES = ['query', 'form_post']

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Applications with sign-in whose owner is not disabled, read for every request: a re-issued secret and a revoked sign-in
 * take effect immediately. The secret is a hash here, see `compareHashedSecrets`.
 */
export function clientStore({ database }: Services): Pick<Adapter, 'find'> {
  return {
    find: async (id) => {
      if (!UUID.test(id)) return undefined
      const row = await database.kysely
        .selectFrom('oauth_clients as c')
        .innerJoin('applications as p', 'p.id', 'c.application_id')
        .innerJoin('accounts as o', 'o.id', 'p.owner_id')
        .select(['c.redirect_uri', 'c.secret_hash'])
        .where('c.application_id', '=', id)
        .where('o.disabled_at', 'is', null)
        .executeTakeFirst()
      return (
        row && {
          client_id: id,
          client_secret: row.secret_hash.toString('base64url'),
          redirect_uris: [row.redirect_uri],
          // A native application might use any port of localhost.
          application_type: 'web',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          response_modes: RESPONSE_MODES,
          token_endpoint_auth_method: 'client_secret_post',
        }
      )
    },
  }
}
