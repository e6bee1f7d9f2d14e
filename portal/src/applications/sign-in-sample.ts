import type { OAuthState } from '@portico/contract'

/** "Sign in with …" for a website, with a standard OpenID Connect library. */
export function signInSample({ issuer, clientId, redirectUri }: OAuthState, origin: string): string {
  // The library requires https, which a portal on localhost doesn't have.
  const plain = issuer.startsWith('http:') ? '\n  undefined,\n  { execute: [oidc.allowInsecureRequests] },' : ''
  return `import * as oidc from 'openid-client'

const config = await oidc.discovery(
  new URL('${issuer}'),
  '${clientId}',
  process.env.CLIENT_SECRET,${plain}
)

// To sign in: keep verifier and state in the session, and send the browser to url.
const verifier = oidc.randomPKCECodeVerifier()
const state = oidc.randomState()
const url = oidc.buildAuthorizationUrl(config, {
  redirect_uri: '${redirectUri}',
  scope: 'openid service.identify',
  state,
  code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})

// Back at ${redirectUri}: currentUrl is the whole address of the request.
const tokens = await oidc.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
})
const response = await fetch('${origin}/api/v1/users/@me', {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})
const person = await response.json()`
}
