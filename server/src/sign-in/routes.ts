/** Where the provider is found, below the portal's public address. The well-known documents stay where libraries look. */
export const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  introspection: '/oauth/introspect',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The page with our questions to a person, and below it what it asks and answers with: its cookie is sent there only. */
export const INTERACTION = '/oauth/interaction'
