import { timingSafeEqual } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { ERRORS, LIMITS } from '@portico/contract'
import type { Configuration, FindAccount, Interaction, Provider } from 'oidc-provider'
import { hashSecret } from '../secrets/generated-secret.ts'
import { isUnavailable } from '../db/violations.ts'
import { cookieName } from '../http/session-cookie.ts'
import type { Services } from '../operations/services.ts'
import { Refusal } from '../operations/refusal.ts'
import { accountClaims } from './account-claims.ts'
import { errorPage } from './error-page.ts'
import { followPortalSession } from './follow-portal-session.ts'
import { promptPolicy } from './prompts.ts'
import { rememberedGrant } from './remembered-grant.ts'
import { RESPONSE_MODES } from './client-store.ts'
import { TwoModeProvider } from './response-modes.ts'
import { OAUTH_PATHS } from '../http/oauth-paths.ts'
import { INTERACTION } from './interaction-paths.ts'
import { KNOWN_SCOPES, knownScopes } from './scopes.ts'
import type { SignInKeys } from './sign-in-keys.ts'
import { storage } from './storage.ts'
import { withoutPrompts } from './without-prompts.ts'

/** How long a person may take to sign up, sign in and decide. */
const INTERACTION_LIFE = 60 * 60
/** The provider's session only covers one sign-in; the portal's session identifies the person. */
const SESSION_LIFE = 2 * INTERACTION_LIFE

const { status: TIMEOUT } = ERRORS.timeout

/** What `service.identify` tells. */
const IDENTITY = ['name', 'picture']

/** All claims of an `id_token` or userinfo. By default the library lists every claim that it supports. */
const CLAIMS = ['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'name', 'picture']

/** The OAuth 2.0 and OpenID Connect provider. `docs/decisions/0007-oauth-provider-storage.md` explains its configuration. */
export function createProvider(services: Services, keys: SignInKeys): Provider {
  const provider = new TwoModeProvider(services.config.PUBLIC_URL, configuration(services, keys))
  const unavailable = new WeakSet<object>()
  const isAnswered = ({ res }: { readonly res: ServerResponse }, err: unknown): boolean => {
    if (res.headersSent) services.log.info({ err }, 'a sign-in failed after its deadline had answered')
    return res.headersSent
  }
  answerUnavailable(provider, (ctx, err) => unavailable.has(ctx) || isAnswered(ctx, err))
  // Host and protocol come from the settings: the mount overrides those of the request.
  provider.proxy = true
  compareHashedSecrets(provider)
  checkResponseTypeFirst(provider)
  discoverWhatIsServed(provider)
  followPortalSession(provider, services)
  const fault = (err: unknown): void => services.log.error({ err }, 'internal error in a sign-in')
  provider.on('server_error', (ctx, err) => {
    if (isAnswered(ctx, err)) return
    if (!isUnavailable(err)) {
      fault(err)
      return
    }
    services.log.error({ err }, 'the database did not respond to a sign-in')
    unavailable.add(ctx)
    // An error that goes back to the website stays a redirect.
    if (ctx.status !== 500) return
    ctx.status = TIMEOUT
    // Of the page that the session was to be stored for.
    ctx.remove('Location')
  })
  const app: EventEmitter = provider
  app.on('error', (err: unknown, ctx?: { readonly res: ServerResponse }) => {
    // Who hangs up causes an error, too.
    if (isUnavailable(err) || ctx?.res.destroyed === true)
      services.log.info({ err }, 'the connection of a sign-in broke')
    else fault(err)
  })
  return provider
}

/** For errors outside of the library's own error handling, in requests that have no response yet. */
function answerUnavailable(
  provider: Provider,
  isAnswered: (ctx: { readonly res: ServerResponse }, error: unknown) => boolean,
): void {
  provider.use(async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      // After an error the library saves the session. That fails as well, because the session was never stored.
      if (isAnswered(ctx, error)) return
      if (!isUnavailable(error)) throw error
      ctx.status = TIMEOUT
      ctx.body = new Refusal('timeout').body()
    }
  })
}

function configuration(services: Services, keys: SignInKeys): Configuration {
  const session = cookieName(services.config.PUBLIC_URL.startsWith('https:'))
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const
  const own = async (_ctx: unknown, client: { clientId: string }, token: { clientId?: string | undefined }) =>
    token.clientId === client.clientId
  const findAccount: FindAccount = (_ctx, id) => accountClaims(services, id)

  return {
    adapter: storage(services),
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
    routes: OAUTH_PATHS,
    findAccount,
    scopes: KNOWN_SCOPES,
    claims: { openid: ['sub'], 'service.identify': IDENTITY, profile: IDENTITY },
    conformIdTokenClaims: false,
    subjectTypes: ['public'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => false,
    clockTolerance: 0,
    extraParams: { scope: ({ oidc: { params = {} } }, scope) => void (params['scope'] = knownScopes(scope)) },
    interactions: { policy: promptPolicy(), url: ({ oidc }, interaction) => pageOf(interaction, oidc.params) },
    loadExistingGrant: (ctx) => rememberedGrant(services, ctx),
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
      // From its last use, and never longer than its grant: one year in total.
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

/**
 * Where a person is asked. One who isn't signed in gets the request back in the address of the sign-in page: nothing is
 * stored for them (`interactionStore`), because anyone could fill the database.
 */
function pageOf({ uid, session }: Interaction, params: Record<string, unknown> = {}): string {
  if (session) return `${INTERACTION}/${uid}`
  const sent = Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const query = withoutPrompts(new URLSearchParams(sent), ['login', 'select_account'])
  const next = `${OAUTH_PATHS.authorization}?${query.toString()}`
  return `/sign-in?${new URLSearchParams({ next }).toString()}`
}

/** Only the hash of a secret is stored. Without hashing the input, the hash itself would be accepted. */
function compareHashedSecrets(provider: Provider): void {
  provider.Client.prototype.compareClientSecret = function compare(given: string): boolean {
    return timingSafeEqual(hashSecret(given), Buffer.from(this.clientSecret ?? '', 'base64url'))
  }
}

/** Reports a missing or unsupported response type as such, not as an error of its default response mode. */
function checkResponseTypeFirst(provider: Provider): void {
  provider.Client.prototype.responseModeAllowed = (mode, responseType) =>
    responseType !== 'code' || RESPONSE_MODES.includes(mode)
}

function discoverWhatIsServed(provider: Provider): void {
  provider.use(async (ctx, next) => {
    await next()
    if (ctx['oidc']?.route !== 'discovery') return
    Object.assign(ctx.body, { response_modes_supported: RESPONSE_MODES, claims_supported: CLAIMS })
  })
}
