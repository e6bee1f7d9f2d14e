/** The provider's endpoints below the portal's public URL. The well-known documents keep their standard paths. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  introspection: '/oauth/introspect',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The sign-in page and the API below it: the interaction cookie is limited to this path. */
export const INTERACTION = '/oauth/interaction'

/** Which website a request is from, for someone who isn't signed in. Takes the parameters of the request. */
export const REQUEST_QUESTION = '/oauth/question'
