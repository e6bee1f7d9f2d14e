import type { Input, OAuthState, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { lockOwnApplication } from '../applications/application.ts'
import { CLIENT_SECRET_PREFIX, hashSecret, newSecret } from '../secrets/generated-secret.ts'
import { requireOwnApplication } from '../applications/require-own-application.ts'
import type { Config } from '../config/config.ts'
import type { Services } from '../operations/services.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import { cannot } from '../operations/refusal.ts'
import { run, type Tx } from '../operations/transaction.ts'
import { checkedRedirectUri } from './redirect-uri.ts'
import { OAUTH_PATHS } from '../http/oauth-paths.ts'

export async function getOAuth(
  tx: Tx,
  input: Input<typeof api.getOAuth>,
  _place: undefined,
  { config }: Pick<Services, 'config'>,
): Promise<Output<typeof api.getOAuth>> {
  const { id } = await requireOwnApplication(tx, input.applicationId)
  return { oauth: (await loadOAuth(tx, config, id)) ?? null }
}

export const setOAuth: OwnTransactions<typeof api.setOAuth> = {
  ownTransactions: async (services, actor, input) => {
    const outcome = await run(services, actor, (tx) => connectOAuth(tx, services.config, input))
    return { ...outcome, created: outcome.result.clientSecret !== undefined }
  },
}

/** Enables sign-in with a new secret, or changes its redirect URI. */
export async function connectOAuth(
  tx: Tx,
  config: Config,
  input: Input<typeof api.setOAuth>,
): Promise<Output<typeof api.setOAuth>> {
  const redirect_uri = checkedRedirectUri(input.redirectUri)
  const application = await lockOwnApplication(tx, input.applicationId)
  const clientSecret = newSecret(CLIENT_SECRET_PREFIX)
  const { created } = await tx.db
    .insertInto('oauth_clients')
    .values({ application_id: application.id, redirect_uri, ...secretColumns(clientSecret) })
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet({ redirect_uri }))
    .returning(sql<boolean>`xmax = 0`.as('created'))
    .executeTakeFirstOrThrow()
  const action = created ? 'oauth.connected' : 'oauth.updated'
  tx.audit({ action, target: application, details: { redirectUri: redirect_uri } })
  return { oauth: await requireOAuth(tx, config, application.id), ...(created && { clientSecret }) }
}

/** A client has one row for its secret, so a new secret replaces the old one atomically. */
export async function issueClientSecret(
  tx: Tx,
  input: Input<typeof api.issueClientSecret>,
  _place: undefined,
  { config }: Pick<Services, 'config'>,
): Promise<Output<typeof api.issueClientSecret>> {
  const application = await lockOwnApplication(tx, input.applicationId)
  const clientSecret = newSecret(CLIENT_SECRET_PREFIX)
  await tx.db
    .updateTable('oauth_clients')
    .set(secretColumns(clientSecret))
    .where('application_id', '=', application.id)
    .execute()
  const oauth = await requireOAuth(tx, config, application.id)
  tx.audit({ action: 'oauth.secret_reissued', target: application })
  return { oauth, clientSecret }
}

/** Consents, grants and tokens belong to the client and are deleted with it. */
export async function revokeOAuth(tx: Tx, input: Input<typeof api.revokeOAuth>): Promise<null> {
  const application = await lockOwnApplication(tx, input.applicationId)
  const revoked = await tx.db
    .deleteFrom('oauth_clients')
    .where('application_id', '=', application.id)
    .returning('redirect_uri as redirectUri')
    .executeTakeFirst()
  if (revoked) tx.audit({ action: 'oauth.revoked', target: application, details: revoked })
  return null
}

function secretColumns(secret: string) {
  return {
    secret_hash: hashSecret(secret),
    secret_hint: secret.slice(0, CLIENT_SECRET_PREFIX.length + 4),
    secret_issued_at: new Date().toISOString(),
  }
}

async function requireOAuth(tx: Tx, config: Config, applicationId: string): Promise<OAuthState> {
  const oauth = await loadOAuth(tx, config, applicationId)
  if (!oauth) throw cannot('Sign-in isn’t connected.', 'oauth_not_connected')
  return oauth
}

async function loadOAuth(
  tx: Tx,
  { PUBLIC_URL: issuer }: Config,
  applicationId: string,
): Promise<OAuthState | undefined> {
  const row = await tx.db
    .selectFrom('oauth_clients as o')
    .select(['o.application_id as clientId', 'o.redirect_uri as redirectUri', 'o.secret_hint as secretHint'])
    .select(['o.secret_issued_at as secretIssuedAt', 'o.created_at as createdAt'])
    .select(sql<number>`(SELECT count(*)::int FROM consents c WHERE c.application_id = o.application_id)`.as('people'))
    .where('o.application_id', '=', applicationId)
    .executeTakeFirst()
  if (!row) return undefined
  return { ...row, issuer, authorizationUrl: issuer + OAUTH_PATHS.authorization, tokenUrl: issuer + OAUTH_PATHS.token }
}
