import { timingSafeEqual } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { LIMITS, USER_SCOPES, type UserScope } from '@portico/contract'
import { errors, Provider, type Configuration, type FindAccount } from 'oidc-provider'
import { hashSecret } from '../applications/key.ts'
import { cookieOf } from '../http/session-cookie.ts'
import type { Parts } from '../parts.ts'
import { accountClaims } from './account-claims.ts'
import { errorPage } from './error-page.ts'
import { followPortalSession } from './follow-portal-session.ts'
import { rememberedGrant } from './remembered-consent.ts'
import { INTERACTION, ROUTES } from './routes.ts'
import type { SignInKeys } from './sign-in-keys.ts'
import { storage } from './storage.ts'

/** How long a person may take to sign up, sign in and make up their mind. */
const INTERACTION_LIFE = 60 * 60
/** The provider's own session only carries a browser through a sign-in; the portal's says who is there. */
const SESSION_LIFE = 24 * 60 * 60

/** The OAuth 2.0 and OpenID Connect provider. `docs/decisions/0007` tells why it is set up in this way. */
export function createProvider(parts: Parts, keys: SignInKeys): Provider {
  const provider = new Provider(parts.config.PUBLIC_URL, configuration(parts, keys))
  // Host and protocol come from our settings: the mount writes them over whatever the request says.
  provider.proxy = true
  compareHashedSecrets(provider)
  followPortalSession(provider, parts)
  const fault = (err: unknown): void => parts.log.error({ err }, 'a fault of ours in a sign-in')
  provider.on('server_error', (_ctx, err) => fault(err))
  const app: EventEmitter = provider
  app.on('error', fault)
  return provider
}

function configuration(parts: Parts, keys: SignInKeys): Configuration {
  const { name: session } = cookieOf(parts.config)
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const
  const own = async (_ctx: unknown, client: { clientId: string }, token: { clientId?: string | undefined }) =>
    token.clientId === client.clientId
  const findAccount: FindAccount = (_ctx, id) => accountClaims(parts, id)

  return {
    adapter: storage(parts),
    jwks: keys.jwks,
    cookies: {
      keys: keys.cookies,
      names: {
        session: `${session}-sign-in`,
        interaction: 'portico-sign-in-question',
        resume: 'portico-sign-in-resume',
      },
      long: { ...cookie, path: '/' },
      short: cookie,
    },
    routes: ROUTES,
    findAccount,
    scopes: Object.keys(USER_SCOPES),
    claims: { openid: ['sub'], 'service.identify': ['name', 'picture'] },
    conformIdTokenClaims: false,
    subjectTypes: ['public'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    clockTolerance: 0,
    // By now the provider has dropped what it does not know: only the address still has it.
    extraParams: { scope: ({ query }) => requireKnownScopes(query['scope']) },
    interactions: { url: (_ctx, { uid }) => `${INTERACTION}/${uid}` },
    loadExistingGrant: (ctx) => rememberedGrant(parts, ctx),
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    renderError: errorPage(),
    ttl: {
      AuthorizationCode: LIMITS.codeLife,
      AccessToken: LIMITS.accessTokenLife,
      IdToken: LIMITS.accessTokenLife,
      Grant: LIMITS.grantLife,
      // From its last use, and never longer than its grant: that is the year in all.
      RefreshToken: ({ oidc }) =>
        Math.min(LIMITS.refreshTokenLife, oidc.grant?.remainingTTL ?? LIMITS.refreshTokenLife),
      Interaction: INTERACTION_LIFE,
      Session: SESSION_LIFE,
    },
    features: {
      userinfo: { enabled: true },
      introspection: { enabled: true, allowedPolicy: own },
      revocation: { enabled: true, allowedPolicy: own },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
  }
}

/** Scopes that we do not know are refused. Dropped in silence, they would seem to have been granted. */
function requireKnownScopes(scope: unknown): void {
  const asked = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
  const unknown = asked.filter((name) => !isUserScope(name))
  const known = Object.keys(USER_SCOPES).join(', ')
  if (asked.length === 0) throw new errors.InvalidScope(`scope must be some of ${known}`, '')
  if (unknown.length > 0) throw new errors.InvalidScope(`scope knows only ${known}`, unknown.join(' '))
}

function isUserScope(name: string): name is UserScope {
  return Object.hasOwn(USER_SCOPES, name)
}

/** We keep only the hash of a secret. Compared as it is, the hash itself would open the door. */
function compareHashedSecrets(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = function compare(given: string): boolean {
    return timingSafeEqual(hashSecret(given), Buffer.from(this.clientSecret ?? '', 'base64url'))
  }
}
