import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion } from './accounts.ts'
import { RoleTitle } from './channels.ts'
import { ApplicationId, ChannelId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { created, noInput, nothing, ok, okOrCreated, operation } from './operation.ts'
import { Count, Id, named, Nullable, OneOf, Timestamp } from './schema.ts'
import { USER_SCOPES, type UserScope } from './scopes.ts'

const UserScopes = Type.Array(OneOf(Object.keys(USER_SCOPES) as UserScope[]))

const RedirectUri = Type.String({
  minLength: 1,
  maxLength: LIMITS.redirectUri,
  format: 'text',
  rule: `must be an https:// address, or http://localhost:… for testing, of at most ${LIMITS.redirectUri} characters`,
  description: 'The redirect URI: an exact `https://` address, or `http://localhost:…` for development',
  examples: ['https://fleet.example/signed-in'],
})

const ofApplication = { applicationId: ApplicationId }

const SECRET_ONCE = 'Shown only once'

export const getCurrentUser = operation({
  at: 'GET /users/@me',
  summary: 'Get the person who signed in to the website',
  description: '`id` is permanent: link accounts to it, not to the name. No e-mail is exposed.',
  by: 'user',
  userScope: 'service.identify',
  input: noInput,
  output: ok(
    named(
      'User',
      Type.Object({
        id: UserId,
        name: Type.String({ description: 'Can be changed by the person', examples: ['Ada Novak'] }),
        avatar: Avatar,
        avatarVersion: AvatarVersion,
        scopes: { ...UserScopes, description: 'The scopes of the token', examples: [['openid', 'service.identify']] },
      }),
    ),
  ),
})

export const listCurrentUserChannels = operation({
  at: 'GET /users/@me/channels',
  summary: 'List the channels of the person who signed in to the website',
  by: 'user',
  userScope: 'service.channels.read',
  input: noInput,
  output: ok(
    Type.Object({
      channels: Type.Array(
        named(
          'UserChannel',
          Type.Object({
            id: ChannelId,
            name: Type.String({ examples: ['Ateliers'] }),
            image: { ...Avatar, description: 'A file name under `/media/avatars/`' },
            avatarVersion: AvatarVersion,
            role: { ...RoleTitle, examples: [{ systemName: 'CHANNEL_MEMBER', name: 'Member' }] },
          }),
        ),
      ),
    }),
  ),
})

export type OAuthState = Static<typeof OAuthState>
export const OAuthState = named(
  'OAuthState',
  Type.Object({
    clientId: Id,
    redirectUri: Type.String(),
    secretHint: Type.String({ description: 'The first characters of the client secret, to recognize it' }),
    secretIssuedAt: Timestamp,
    createdAt: Timestamp,
    people: { ...Count, description: 'How many people have given their consent' },
    issuer: Type.String({ description: 'The issuer URL to configure in an OpenID Connect library' }),
    authorizationUrl: Type.String(),
    tokenUrl: Type.String(),
  }),
)

export const getOAuth = operation({
  at: 'GET /applications/:applicationId/oauth',
  summary: 'Get your application’s sign-in settings; null if sign-in is not set up',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ oauth: Nullable(OAuthState) })),
})

export const setOAuth = operation({
  at: 'PUT /applications/:applicationId/oauth',
  summary: 'Set up sign-in with a redirect URI, or change the redirect URI',
  by: 'person',
  input: Type.Object({ ...ofApplication, redirectUri: RedirectUri }),
  output: okOrCreated(
    named(
      'SetOAuth',
      Type.Object({
        oauth: OAuthState,
        clientSecret: Type.Optional(
          Type.String({
            description: `Only when sign-in is set up, not when the redirect URI is changed. ${SECRET_ONCE}`,
          }),
        ),
      }),
    ),
  ),
})

export const issueClientSecret = operation({
  at: 'POST /applications/:applicationId/oauth/secret',
  summary: 'Issue a new client secret; the old one stops working immediately, people stay signed in',
  by: 'person',
  input: Type.Object(ofApplication),
  output: created(
    named(
      'IssuedClientSecret',
      Type.Object({ oauth: OAuthState, clientSecret: Type.String({ description: SECRET_ONCE }) }),
    ),
  ),
})

export const revokeOAuth = operation({
  at: 'DELETE /applications/:applicationId/oauth',
  summary: 'Revoke sign-in for all users: secret, consents and tokens stop working immediately',
  by: 'person',
  input: Type.Object(ofApplication),
  output: nothing,
})

const shown = { id: Id, name: Type.String(), avatar: Avatar, avatarVersion: AvatarVersion }

const ApplicationSummary = Type.Object({ id: Id, name: Type.String(), owner: Author, bot: Type.Object(shown) })
const Site = Type.String({ description: 'Host and port of the redirect URI', examples: ['fleet.example'] })

export type Consent = Static<typeof Consent>
export const Consent = named(
  'Consent',
  Type.Object({
    application: ApplicationSummary,
    site: Site,
    scopes: UserScopes,
    givenAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  }),
)

export const listConsents = operation({
  at: 'GET /account/consents',
  summary: 'List the websites you sign in to and what each can see, newest first',
  by: 'person',
  input: noInput,
  output: ok(Type.Object({ consents: Type.Array(Consent) })),
})

export const withdrawConsent = operation({
  at: 'DELETE /account/consents/:applicationId',
  summary: 'Withdraw your consent; all its tokens stop working immediately',
  by: 'person',
  input: Type.Object(ofApplication),
  output: nothing,
})

/** What the sign-in page must ask next: sign in, sign in again, nothing, which account, or consent. */
const SIGN_IN_STEPS = ['sign-in', 'sign-in-again', 'continue', 'select-account', 'consent'] as const

export type SignInQuestion = Static<typeof SignInQuestion>
export const SignInQuestion = Type.Object({
  step: OneOf(SIGN_IN_STEPS),
  application: ApplicationSummary,
  site: Site,
  scopes: UserScopes,
  account: Nullable(Type.Object(shown)),
})

/** Where the browser continues. */
export type SignInAnswer = Static<typeof SignInAnswer>
export const SignInAnswer = Type.Object({ location: Type.String() })
