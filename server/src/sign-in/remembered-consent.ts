import { sql } from 'kysely'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { allowedBy } from './scopes.ts'

/**
 * The grant of a sign-in: the one that the person has just allowed or, if they consented earlier, a new one. Every sign-in
 * has its own grant, so that revoking one doesn't affect the others.
 */
export async function rememberedGrant(services: Services, { oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { provider, client, account, result } = oidc
  if (result?.consent?.grantId !== undefined) return provider.Grant.find(result.consent.grantId)
  if (!client || !account || oidc.promptPending('login') || oidc.promptPending('consent')) return undefined
  const { scope } = oidc.params ?? {}
  if (!(await isCovered(services, account.accountId, client.clientId, allowedBy(scope)))) return undefined
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes])
  await grant.save()
  return grant
}

async function isCovered(
  { database }: Services,
  accountId: string,
  applicationId: string,
  scopes: readonly string[],
): Promise<boolean> {
  const consent = await database.kysely
    .selectFrom('consents')
    .select('account_id')
    .where('account_id', '=', accountId)
    .where('application_id', '=', applicationId)
    .where(sql<boolean>`scopes @> ${scopes}::text[]`)
    .executeTakeFirst()
  return consent !== undefined
}

/** Adds the scopes that a person allows to their earlier consent. */
export async function rememberConsent(
  { database }: Services,
  accountId: string,
  applicationId: string,
  scopes: readonly string[],
): Promise<void> {
  await sql`INSERT INTO consents (account_id, application_id, scopes)
    VALUES (${accountId}::uuid, ${applicationId}::uuid, ${scopes}::text[])
    ON CONFLICT (account_id, application_id) DO UPDATE SET given_at = now(),
      scopes = ARRAY(SELECT DISTINCT unnest(consents.scopes || EXCLUDED.scopes) ORDER BY 1)`.execute(database.kysely)
}
