import { Type, type Static } from 'typebox'
import { UserId } from './ids.ts'
import { LIMITS } from './limits.ts'
import { Name } from './names.ts'
import { created, noInput, nothing, ok, okOrSignedOut, operation } from './operation.ts'
import { Count, Id, Integer, named, Nullable, OneOf, Text, Timestamp } from './schema.ts'

export const LOCALES = ['en', 'ru'] as const
export const THEMES = ['system', 'light', 'dark'] as const

export const AccountName = Name(LIMITS.accountName.min, LIMITS.accountName.max, {
  description: 'Unique among people, case-insensitive; names that look alike count as the same',
  examples: ['Ada Novak'],
})

export const Password = Type.String({
  minLength: LIMITS.password.min,
  maxLength: LIMITS.password.max,
  format: 'text',
  rule: `must be ${LIMITS.password.min}–${LIMITS.password.max} characters`,
})

/** A password to check, which need not follow today's rules. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 1024, format: 'text', rule: 'is required' })

export const Avatar = Type.String({
  description: 'A file name under `/media/avatars/`',
  examples: ['01a05bfb-6e04-7f18-a3b7-92c1e50d8f46.svg'],
})
export const AvatarVersion = Type.Integer({
  description: 'Increases when the picture changes; with it in the query the file can be cached forever',
  examples: [1],
})

export const PICTURE_TEXT = `A PNG, JPEG, WebP or GIF file of at most ${LIMITS.pictureBytes / 1024 ** 2} MiB and ${LIMITS.picturePixels / 1e6} megapixels. Only its center square is stored, as WebP, without any other data of the file.`

export type Account = Static<typeof Account>
export const Account = named(
  'Account',
  Type.Object({
    id: Id,
    name: Type.String(),
    avatar: Avatar,
    avatarVersion: AvatarVersion,
    isAdministrator: Type.Boolean(),
    locale: Nullable(OneOf(LOCALES)),
    theme: OneOf(THEMES),
  }),
)

/** A person or a bot, as others see them. */
export type Author = Static<typeof Author>
export const Author = named(
  'Author',
  Type.Object({ id: UserId, name: Type.String({ examples: ['Ada Novak'] }) }, { description: 'A person or a bot' }),
)

export type Session = Static<typeof Session>
export const Session = named(
  'Session',
  Type.Object({
    id: Id,
    device: Type.String({ description: 'Browser and operating system, as far as they are known' }),
    address: Type.String(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp,
    current: Type.Boolean(),
  }),
)

const SignedIn = Type.Object({ account: Account })

export const signUp = operation({
  at: 'POST /accounts',
  summary: 'Create an account and sign in',
  description: 'While registration is closed, an `invitation` is required. It is accepted in the same request.',
  by: 'anyone',
  input: Type.Object({
    name: AccountName,
    password: Password,
    invitation: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{8,64}$', rule: 'must be an invitation code' })),
    locale: Type.Optional(OneOf(LOCALES)),
  }),
  output: created(SignedIn),
})

export const setUp = operation({
  at: 'POST /set-up',
  summary: 'Create the first administrator',
  description: 'Works once, with the code that the server printed when it started.',
  by: 'anyone',
  input: Type.Object({ code: GivenPassword, name: AccountName, password: Password }),
  output: created(SignedIn),
})

export const signIn = operation({
  at: 'POST /sessions',
  summary: 'Sign in with name and password',
  by: 'anyone',
  input: Type.Object({ name: Text(1, 256), password: GivenPassword }),
  output: created(SignedIn),
})

export const getSession = operation({
  at: 'GET /session',
  summary: 'Get the signed-in person',
  by: 'person',
  input: noInput,
  output: okOrSignedOut(Type.Object({ account: Account, sessionId: Id })),
})

/** Why a session ended that its person didn't sign out of. */
export type SessionEndReason = (typeof SESSION_END_REASONS)[number]
export const SESSION_END_REASONS = [
  'revoked',
  'signed_out_everywhere',
  'password_changed',
  'password_set_by_administrator',
  'signed_out_by_administrator',
  'account_disabled',
  'account_deleted',
  'session_limit',
  'expired',
] as const

export const getSessionEnd = operation({
  at: 'GET /session/end',
  summary: 'Get when and why your session ended',
  description:
    'For the session whose token the cookie still contains, for 30 days. Null if it hasn’t ended, if you signed out yourself, or if there is no such session.',
  by: 'anyone',
  input: noInput,
  output: ok(Type.Object({ end: Nullable(Type.Object({ reason: OneOf(SESSION_END_REASONS), endedAt: Timestamp })) })),
})

export const listSessions = operation({
  at: 'GET /sessions',
  summary: 'List your sessions',
  by: 'person',
  input: noInput,
  output: ok(Type.Object({ sessions: Type.Array(Session) })),
})

export const signOut = operation({
  at: 'DELETE /sessions/current',
  summary: 'Sign out of this session',
  by: 'person',
  input: noInput,
  output: nothing,
})

export const endSession = operation({
  at: 'DELETE /sessions/:sessionId',
  summary: 'Sign out of another session',
  by: 'person',
  input: Type.Object({ sessionId: { ...Id, description: 'The session' } }),
  output: nothing,
})

export const signOutEverywhere = operation({
  at: 'DELETE /sessions',
  summary: 'Sign out of all other sessions',
  by: 'person',
  input: noInput,
  output: nothing,
})

export const updateAccount = operation({
  at: 'PATCH /account',
  summary: 'Change your name, language or theme',
  by: 'person',
  input: Type.Object({
    name: Type.Optional(AccountName),
    locale: Type.Optional(OneOf(LOCALES)),
    theme: Type.Optional(OneOf(THEMES)),
  }),
  output: ok(Account),
})

export const setAccountPicture = operation({
  at: 'PUT /account/picture',
  summary: 'Set your picture',
  description: PICTURE_TEXT,
  by: 'person',
  takes: 'picture',
  input: noInput,
  output: ok(Account),
})

export const removeAccountPicture = operation({
  at: 'DELETE /account/picture',
  summary: 'Remove your picture',
  by: 'person',
  input: noInput,
  output: ok(Account),
})

export const changePassword = operation({
  at: 'PUT /account/password',
  summary: 'Change your password; signs out all other sessions',
  by: 'person',
  input: Type.Object({ currentPassword: GivenPassword, newPassword: Password }),
  output: nothing,
})

const resetCode = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  rule: 'must be the code of a reset link',
  examples: ['Kx0vUuB3q7mTzR1nYc9sJd5wLh2pEaGf8iOb4tVyXkM'],
  description: 'What follows `#` in the link',
})

export const checkResetLink = operation({
  at: 'POST /password-resets/check',
  summary: 'Get the person whose password a reset link sets',
  description: 'The code is in the body, so that logs of addresses don’t contain it.',
  by: 'anyone',
  input: Type.Object({ code: resetCode }),
  output: ok(Type.Object({ name: Type.String() })),
})

export const resetPassword = operation({
  at: 'POST /password-resets',
  summary: 'Set a new password with a reset link, and sign in',
  description: 'The link works once. All sessions of the person, and all access given to websites, end.',
  by: 'anyone',
  input: Type.Object({ code: resetCode, newPassword: Password }),
  output: created(SignedIn),
})

export type Instance = Static<typeof Instance>
export const Instance = named(
  'Instance',
  Type.Object({
    name: Type.String(),
    registrationOpen: Type.Boolean(),
    needsSetUp: Type.Boolean({ description: 'True until the first administrator is created' }),
    hasMediaServer: Type.Boolean({ description: 'There is a media server for voice and video' }),
    files: Type.Object({
      maxBytes: Type.Integer({ description: 'The largest file that can be uploaded' }),
      freeBytes: { ...Count, description: 'What is left of the storage for files' },
    }),
    version: Type.String(),
  }),
)

export const getInstance = operation({
  at: 'GET /instance',
  summary: 'Get the portal’s name, and whether registration is open',
  by: 'anyone',
  input: noInput,
  output: ok(Instance),
})

export const updateInstance = operation({
  at: 'PATCH /instance',
  summary: "Change the portal's name; open or close registration",
  by: 'administrator',
  input: Type.Object({
    name: Type.Optional(Name(1, 64)),
    registrationOpen: Type.Optional(Type.Boolean({ rule: 'must be true or false' })),
  }),
  output: ok(Instance),
})

export const AuditEntry = named(
  'AuditEntry',
  Type.Object({
    id: Id,
    action: Type.String({ examples: ['member.kicked'] }),
    actor: Nullable(
      Type.Object({ ...Author.properties, isBot: Type.Optional(Type.Boolean({ description: 'Set for a bot' })) }),
    ),
    targetId: Nullable(Id),
    targetName: Nullable(Type.String()),
    targetIsBot: Type.Optional(Type.Boolean({ description: 'Set if a bot was acted on' })),
    reason: Nullable(Type.String()),
    details: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
    createdAt: Timestamp,
  }),
)
export type AuditEntry = Static<typeof AuditEntry>

export const auditPage = {
  beforeId: Type.Optional({ ...Id, description: 'The last entry of the previous page' }),
  limit: Type.Optional(Integer(1, 100, { description: 'Default 50' })),
}

export const AuditPage = Type.Object({ entries: Type.Array(AuditEntry), hasMore: Type.Boolean() })

/** What the entries of the portal's audit log are about. */
export const INSTANCE_AUDIT_SUBJECTS = ['account', 'application', 'channel', 'instance'] as const

export const listInstanceAudit = operation({
  at: 'GET /audit-log',
  summary: 'List changes to the portal, newest first',
  by: 'administrator',
  input: Type.Object({
    ...auditPage,
    subject: Type.Optional(OneOf(INSTANCE_AUDIT_SUBJECTS, { description: 'Only entries about this' })),
  }),
  output: ok(AuditPage),
})
