import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { Services } from '../operations/services.ts'
import { isCoveredByConsent } from '../consents/consents.ts'
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
  const wanted = { accountId: account.accountId, applicationId: client.clientId, scopes: allowedBy(scope) }
  if (!(await isCoveredByConsent(services.database.kysely, wanted))) return undefined
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes])
  await grant.save()
  return grant
}
