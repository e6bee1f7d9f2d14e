import { Type, type Static } from 'typebox'
import { Author, Avatar, AvatarVersion } from './accounts.ts'
import { RoleTitle } from './channels.ts'
import { ChannelId, UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { created, noInput, nothing, ok, okOrCreated, operation } from './operation.ts'
import { Count, Id, named, Nullable, OneOf, Timestamp } from './schema.ts'
import { USER_SCOPES, type UserScope } from './scopes.ts'

const UserScopes = Type.Array(OneOf(Object.keys(USER_SCOPES) as UserScope[]))

const RedirectUri = Type.String({
  minLength: 1,
  maxLength: LIMITS.redirectUri,
  format: 'text',
  rule: `must be an https:// address, or http://localhost:… for trying things out, of at most ${LIMITS.redirectUri} characters`,
  description: 'Where people return to: an exact `https://` address, or `http://localhost:…` for trying things out',
  examples: ['https://fleet.example/signed-in'],
})

const ofApplication = { applicationId: Id }

const SECRET_ONCE = 'Shown this once'

export const getCurrentUser = operation({
  at: 'GET /users/@me',
  summary: 'The person who signed in to the website',
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
        scopes: { ...UserScopes, description: 'What the token opens', examples: [['openid', 'service.identify']] },
      }),
    ),
  ),
})

export const listCurrentUserChannels = operation({
  at: 'GET /users/@me/channels',
  summary: 'The channels of the person who signed in to the website',
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
    secretHint: Type.String({ description: 'The first characters of the client secret, to tell it by' }),
    secretIssuedAt: Timestamp,
    createdAt: Timestamp,
    people: { ...Count, description: 'How many people have given their consent' },
    issuer: Type.String({ description: 'What a stock OpenID Connect library is pointed at' }),
    authorizationUrl: Type.String(),
    tokenUrl: Type.String(),
  }),
)

export const getOAuth = operation({
  at: 'GET /applications/:applicationId/oauth',
  summary: 'The sign-in of one’s application; null when it is not connected',
  by: 'person',
  input: Type.Object(ofApplication),
  output: ok(Type.Object({ oauth: Nullable(OAuthState) })),
})

export const setOAuth = operation({
  at: 'PUT /applications/:applicationId/oauth',
  summary: 'Connect sign-in with a return address, or change the address',
  by: 'person',
  input: Type.Object({ ...ofApplication, redirectUri: RedirectUri }),
  output: okOrCreated(
    named(
      'SetOAuth',
      Type.Object({
        oauth: OAuthState,
        clientSecret: Type.Optional(
          Type.String({ description: `When sign-in is connected, not when the address is changed. ${SECRET_ONCE}` }),
        ),
      }),
    ),
  ),
})

export const issueClientSecret = operation({
  at: 'POST /applications/:applicationId/oauth/secret',
  summary: 'Issue a new client secret: the old one is dead at once; people stay signed in',
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
  summary: 'Revoke sign-in for all users: secret, consents and tokens are dead at once',
  by: 'person',
  input: Type.Object(ofApplication),
  output: nothing,
})

const shown = { id: Id, name: Type.String(), avatar: Avatar, avatarVersion: AvatarVersion }

const Asker = Type.Object({ id: Id, name: Type.String(), owner: Author, bot: Type.Object(shown) })
const Site = Type.String({ description: 'Host and port of the return address', examples: ['fleet.example'] })

export type Consent = Static<typeof Consent>
export const Consent = named(
  'Consent',
  Type.Object({
    application: Asker,
    site: Site,
    scopes: UserScopes,
    givenAt: Timestamp,
    lastUsedAt: Nullable(Timestamp),
  }),
)

export const listConsents = operation({
  at: 'GET /account/consents',
  summary: 'The websites that one signs in to, and what each may see; the latest first',
  by: 'person',
  input: noInput,
  output: ok(Type.Object({ consents: Type.Array(Consent) })),
})

export const withdrawConsent = operation({
  at: 'DELETE /account/consents/:applicationId',
  summary: 'Withdraw one’s consent: all tokens that it gave are dead at once',
  by: 'person',
  input: Type.Object(ofApplication),
  output: nothing,
})

/** What the page of a sign-in must ask next: to sign in, to sign in once more, nothing at all, or for consent. */
const SIGN_IN_STEPS = ['sign-in', 'sign-in-again', 'continue', 'consent'] as const

export type SignInQuestion = Static<typeof SignInQuestion>
export const SignInQuestion = Type.Object({
  step: OneOf(SIGN_IN_STEPS),
  application: Asker,
  site: Site,
  scopes: UserScopes,
  account: Nullable(Type.Object(shown)),
})

/** Where the browser goes on. */
export type SignInAnswer = Static<typeof SignInAnswer>
export const SignInAnswer = Type.Object({ location: Type.String() })
