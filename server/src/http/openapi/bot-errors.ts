import {
  LIMITS,
  MUTED_IN_CHAT,
  REFUSALS,
  ROOM_TYPES,
  STREAM_LIMITS,
  SUGGESTION_LIMITS,
  type Operation,
  type Quota,
  type RefusalName,
} from '@portico/contract'
import type { ErrorExample } from './answers.ts'

const UNAUTHORIZED: readonly ErrorExample[] = [
  {
    name: 'missingKey',
    code: 'unauthorized',
    when: 'No key was sent',
    details: { message: 'Send the key: Authorization: Bot <key>.' },
  },
  {
    name: 'wrongScheme',
    code: 'unauthorized',
    when: 'A key was sent as `Bearer`, or in another malformed way',
    details: { message: 'A key is sent as Authorization: Bot <key>; Bearer is for user tokens.' },
  },
  {
    name: 'malformedKey',
    code: 'unauthorized',
    when: 'What was sent isn’t a key: wrong prefix, length or checksum',
    details: { message: 'This isn’t a key of this portal.' },
  },
  {
    name: 'deadKey',
    code: 'unauthorized',
    when: 'The key is unknown, was re-issued or revoked, or its application was deleted',
    details: { message: 'The key is wrong or was re-issued, or the application or its owner is deleted or disabled.' },
  },
]

const UNAUTHORIZED_TOKEN: readonly ErrorExample[] = [
  {
    name: 'missingToken',
    code: 'unauthorized',
    when: 'No token was sent',
    details: { message: 'Send the token: Authorization: Bearer <token>.' },
  },
  {
    name: 'wrongTokenScheme',
    code: 'unauthorized',
    when: 'A key was sent, or a token in a malformed way',
    details: { message: 'A user token is sent as Authorization: Bearer <token>; Bot is for keys.' },
  },
  {
    name: 'deadToken',
    code: 'unauthorized',
    when: 'The token is unknown, expired or revoked, the person withdrew their consent, or sign-in was revoked',
    details: { message: 'The token is wrong or has expired, or the person has removed access.' },
  },
]

const SERVER_ERRORS: readonly ErrorExample[] = [
  { name: 'internalError', code: 'internalError', when: 'Internal error; nothing was changed', details: {} },
  {
    name: 'timeout',
    code: 'timeout',
    when: `Storage did not answer within ${LIMITS.requestDeadline} seconds; what was begun is rolled back`,
    details: {},
  },
]

/** Instead of the quota of requests. */
const OWN_QUOTAS: Readonly<Record<Exclude<Quota, 'write'>, ErrorExample>> = {
  append: ownQuota('appendQuota', {
    limit: STREAM_LIMITS.appends,
    what: 'appends a second for each message',
    when: `${STREAM_LIMITS.appends} appends to the message were accepted in the last second`,
  }),
  suggest: ownQuota('suggestionQuota', {
    limit: SUGGESTION_LIMITS.requests,
    what: 'answers with suggestions a second',
    when: `${SUGGESTION_LIMITS.requests} answers with suggestions were accepted in the last second`,
  }),
}

function ownQuota(name: string, { limit, what, when }: { limit: number; what: string; when: string }): ErrorExample {
  const details = { message: `The quota of ${limit} ${what} is used up; wait 1 s.`, retryAfterSec: 1 }
  return { name, code: 'tooManyRequests', when, details }
}

/** Every error that an operation can return to a bot, in the order of the checks. */
export function botErrors(operation: Operation): ErrorExample[] {
  const takesInput = Object.keys(operation.input.properties).length > 0
  return [
    ...(operation.by === 'user' ? UNAUTHORIZED_TOKEN : UNAUTHORIZED),
    operation.quota === undefined || operation.quota === 'write'
      ? quotaExceeded('requestQuota', 'requests', LIMITS.requestQuota)
      : OWN_QUOTAS[operation.quota],
    ...missingScope(operation),
    ...(takesInput || !operation.at.startsWith('GET ') ? [malformed(operation)] : []),
    ...ofPlace(operation),
    ...missingRight(operation),
    ...(operation.refusals ?? []).map(refusal),
    ...(operation.quota === 'write' ? [quotaExceeded('writeQuota', 'writes', LIMITS.writeQuota)] : []),
    ...SERVER_ERRORS,
  ]
}

function missingScope({ scope, userScope }: Operation): ErrorExample[] {
  const requiredScope = scope ?? userScope
  if (!requiredScope) return []
  const what = userScope ? 'token' : 'key'
  const details = { message: `The ${what} lacks the scope ${requiredScope}.`, requiredScope }
  const when = `The ${what} lacks the scope \`${requiredScope}\``
  return [{ name: 'missingScope', code: 'forbidden', when, details }]
}

function missingRight({ access, judges }: Operation): ErrorExample[] {
  const right = access?.right ?? judges
  if (!right) return []
  const details = { message: `The role lacks the right ${right}.`, requiredRight: right }
  const lacking = {
    name: 'missingRight',
    code: 'forbidden',
    when: `The bot’s role lacks the right \`${right}\``,
    details,
  } as const
  if (!MUTED_IN_CHAT.includes(right)) return [lacking]
  const muted = refusal('muted')
  return [lacking, { ...muted, details: { ...muted.details, requiredRight: right } }]
}

/** The errors about the channel and the room that a request names. */
function ofPlace({ access, input }: Operation): ErrorExample[] {
  const channel = access && 'channelId' in input.properties ? [refusal('notInstalled')] : []
  const types = access?.room
  if (!types) return channel
  const other = ROOM_TYPES.find((type) => !types.includes(type))
  const message = `The room is a ${other} room; this needs a ${types.join(' or ')} room.`
  return [
    ...channel,
    refusal('noSuchRoom'),
    ...(other ? [{ ...refusal('wrongRoomType'), details: { message, reason: REFUSALS.wrongRoomType.reason } }] : []),
  ]
}

function refusal(name: RefusalName): ErrorExample {
  const { code, when, ...details } = REFUSALS[name]
  return { name, code, when, details }
}

function malformed({ at, input }: Operation): ErrorExample {
  const when = 'The form of the request is not right; `field` and `message` name what'
  const [method = '', path = ''] = at.split(' ')
  const fields = Object.entries(input.properties).map(([field, schema]) => ({ field, rule: ruleOf(schema) }))
  const telling =
    fields.find(({ field, rule }) => rule !== undefined && !path.includes(`:${field}`) && !field.endsWith('Id')) ??
    fields.find(({ rule }) => rule !== undefined)
  const { field, rule } = telling ?? {
    field: method === 'DELETE' ? 'content-type' : 'body',
    rule: 'a request with a body must be application/json',
  }
  return { name: 'malformed', code: 'badRequest', when, details: { field, message: `${field}: ${rule}` } }
}

function ruleOf(schema: object): string | undefined {
  return 'rule' in schema && typeof schema.rule === 'string' ? schema.rule : undefined
}

function quotaExceeded(name: string, what: string, limit: number): ErrorExample {
  const retryAfterSec = 12
  return {
    name,
    code: 'tooManyRequests',
    when: `${limit} ${what} of the application were accepted in the last ${LIMITS.quotaWindow} seconds`,
    details: {
      message: `The quota of ${limit} ${what} per ${LIMITS.quotaWindow} seconds is used up; wait ${retryAfterSec} s.`,
      retryAfterSec,
    },
  }
}
