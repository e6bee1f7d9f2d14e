import {
  ERRORS,
  LIMITS,
  operations,
  subjectOf,
  USER_SCOPES,
  type ErrorCode,
  type Operation,
  type Scope,
  type Subject,
} from '@portico/contract'
import { BOT_EVENT_KINDS } from '../events/bot-event-kinds.ts'
import { OAUTH_PATHS } from './oauth-paths.ts'
import { botOperations, userOperations } from './bot-operations.ts'
import { openapiOf } from './openapi.ts'
import type { ErrorExample } from './openapi/answers.ts'
import { BOT_DESCRIPTION } from './openapi/bot-description.ts'
import { botErrors } from './openapi/bot-errors.ts'
import type { HeaderObject, OpenApi } from './openapi/document.ts'

const REQUEST_ID: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    description: 'Names this request in the operator’s logs',
    schema: { type: 'string', format: 'uuid' },
  },
}

const QUOTA_HEADERS: Readonly<Record<string, HeaderObject>> = {
  'X-RateLimit-Limit': {
    description: 'How many requests, or writes, the tightest quota of the route allows in its window',
    schema: { type: 'integer', examples: [LIMITS.requestQuota] },
  },
  'X-RateLimit-Remaining': {
    description: 'How many of them are left at this moment',
    schema: { type: 'integer', minimum: 0, examples: [LIMITS.requestQuota - 1] },
  },
}

/** The reference of the bot API. */
export function botDocument(publicUrl: string, version: string): OpenApi {
  const described = [...botOperations, ...userOperations]
  const used = new Set(described.map(([, operation]) => botTag(operation)))
  return openapiOf({
    audience: 'bots',
    title: 'Portico Bot API',
    summary: 'Send messages, moderate members, join voice rooms, declare commands and receive events.',
    description: BOT_DESCRIPTION,
    server: `${publicUrl}/api/v1`,
    version,
    security: {
      key: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: 'The application’s key after the word `Bot`: `Authorization: Bot portico_bot_…`',
      },
      signIn: {
        type: 'oauth2',
        description: 'The token of a person who signed in to a website: `Authorization: Bearer …`',
        flows: {
          authorizationCode: {
            authorizationUrl: publicUrl + OAUTH_PATHS.authorization,
            tokenUrl: publicUrl + OAUTH_PATHS.token,
            refreshUrl: publicUrl + OAUTH_PATHS.token,
            scopes: USER_SCOPES,
          },
        },
      },
    },
    securityOf: ({ userScope }) => (userScope ? [{ signIn: [userScope] }] : undefined),
    operations: described.toSorted(([, a], [, b]) => compare(placeOf(a), placeOf(b))),
    tags: Object.entries(BOT_TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    tagOf: (_name, operation) => botTag(operation),
    errorsOf: botErrors,
    headers: { ...QUOTA_HEADERS, ...REQUEST_ID },
    events: BOT_EVENT_KINDS,
  })
}

const BOT_TAGS = {
  Application: 'The application and bot of the key, and where it is installed.',
  Channels: 'Channels with their rooms and members.',
  Messages: 'The history of text rooms, the bot’s own messages and reactions.',
  Voice: 'Joining and leaving voice rooms.',
  Moderation: 'Pins, mutes, moves and kicks. All take effect immediately and are recorded in the channel’s audit log.',
  Commands:
    'The list of commands that people see when they type `/`. A command is an ordinary message; the bot reads its text.',
  Events: 'Receiving events: [the list of events](#events), [over a WebSocket](#websocket) or [by webhook](#webhook).',
  'Sign-in': 'The person who signed in to a website, with the website’s user token.',
}

const TAG_OF_SCOPE: Readonly<Record<Scope, keyof typeof BOT_TAGS>> = {
  'channel:read': 'Channels',
  'messages:read': 'Messages',
  'messages:write': 'Messages',
  voice: 'Voice',
  events: 'Events',
  moderation: 'Moderation',
  commands: 'Commands',
}

function botTag({ by, scope }: Operation): string {
  if (by === 'user') return 'Sign-in'
  return scope ? TAG_OF_SCOPE[scope] : 'Application'
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** By subject, then by path, so that operations on one thing are together. The profile comes first: it is how to try a key. */
function placeOf(operation: Operation): string {
  const [method = '', path = ''] = operation.at.split(' ')
  const subject = Object.keys(BOT_TAGS).indexOf(botTag(operation))
  return `${subject} ${path === '/me' ? '' : path} ${METHODS.indexOf(method)}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1
}

/** The reference of the portal's own API, which people's browsers use. */
export function portalDocument(publicUrl: string, version: string): OpenApi {
  const portalOperations = [...operations].filter(([, { by }]) => by !== 'bot' && by !== 'user')
  const used = new Set<string>(portalOperations.map(([name]) => portalTag(name)))
  return openapiOf({
    audience: 'portal',
    title: 'Portico: portal API',
    summary: 'The API of the web portal.',
    description:
      'The API of the web portal, with a cookie session. Requests that change something need the portal’s own `Origin` header.',
    server: `${publicUrl}/portal/v1`,
    version,
    security: {
      session: { type: 'apiKey', in: 'cookie', name: 'portico', description: 'The session that signing in sets' },
    },
    operations: portalOperations,
    tags: Object.entries(PORTAL_TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    tagOf: portalTag,
    errorsOf: portalErrors,
    headers: REQUEST_ID,
  })
}

const PORTAL_TAGS: Readonly<Record<string, string>> = {
  accounts: 'Accounts, sessions and the portal itself.',
  roomPage: 'Everything a room’s page shows first.',
  personalData: 'Exporting personal data and deleting an account.',
  defects: 'Errors in pages of the portal, reported for its log.',
  firstSteps: 'The checklists of a new portal and a new channel.',
  administration: 'For administrators of the portal.',
  channels: 'Channels and their audit log.',
  rooms: 'Rooms, categories and room overrides.',
  roles: 'Roles and their rights.',
  members: 'Members, their nicknames and roles.',
  invitations: 'Invitation links.',
  messages: 'Messages, reactions and pins.',
  uploads: 'Files in messages.',
  history: 'Pages of history, search, and who reacted.',
  unread: 'Read state.',
  notifications: 'Notification levels, mutes and do-not-disturb.',
  presence: 'Who is typing.',
  voice: 'Joining and leaving voice rooms.',
  moderation: 'Mutes, moves, kicks and bans.',
  applications: 'Applications and their keys.',
  installations: 'Applications in channels.',
  explanations: 'What a bot can do where, and what prevents it.',
  events: 'The state of an application’s event stream.',
  webhooks: 'Webhooks of applications and their deliveries.',
  push: 'Notifications of browsers by Web Push.',
  commands: 'Commands of the bots in a channel.',
  signIn: 'Sign-in for websites: an application’s settings, and people’s consents.',
}

function portalTag(name: string): Subject {
  const subject = subjectOf.get(name)
  if (!subject) throw new Error(`${name} belongs to no subject of the contract`)
  return subject
}

function portalErrors(operation: Operation): ErrorExample[] {
  const signedIn = operation.by !== 'anyone'
  const codes: ErrorCode[] = [
    'badRequest',
    ...(signedIn || operation.at === 'POST /sessions' ? (['unauthorized'] as const) : []),
    'forbidden',
    'unprocessable',
    'tooManyRequests',
    'internalError',
    'timeout',
  ]
  return codes.map((code) => ({ name: code, code, when: ERRORS[code].error, details: {} }))
}
