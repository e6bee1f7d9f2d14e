import { DEFAULT_ROLES, ERRORS, LIMITS, REFUSALS, SCOPES, type ErrorCode } from '@portico/contract'
import { KEY_PATTERN } from '../../secrets/generated-secret.ts'
import { EVENTS_GUIDE } from './events-guide.ts'

const { requestQuota, writeQuota, quotaWindow, messageText, requestBody, requestDeadline } = LIMITS
const hours = LIMITS.idempotencySeconds / 3600

/** What each status means to a bot developer, in the order of the numbers. */
const HINTS: Readonly<Record<ErrorCode, readonly [meaning: string, hint: string]>> = {
  badRequest: ['The request is invalid', 'Fix what `field` and `message` name'],
  unauthorized: ['The key is missing, wrong, re-issued or revoked', 'Check the key, or issue a new one'],
  forbidden: ['Not allowed for this key or this bot', 'See `requiredScope`, `requiredRight`, `reason`'],
  notFound: ['There is no such route; on `GET /webhook`, no webhook', 'Check method and path'],
  unprocessable: ['Valid and allowed, but it can’t be done', 'See `reason`'],
  tooManyRequests: ['A quota is used up', 'Wait `retryAfterSec` seconds, then retry'],
  internalError: ['Internal error', 'Retry later; give the operator the `X-Request-Id`'],
  timeout: ['The portal didn’t answer in time', 'Repeat the request'],
}

/** The introduction of the API reference: the rules that apply to all routes. */
export const BOT_DESCRIPTION = `An application acts through its **bot**, a member of every channel in which the application is installed. Two things limit what
the bot can do: the **scopes** of the application’s key, and the **role** that the channel gave the bot.

## Keys and scopes

Every request needs the application’s key:

\`\`\`http
Authorization: Bot portico_bot_…
\`\`\`

The scheme is \`Bot\`; \`Bearer\` is for tokens of people who signed in to a website, for the routes under [Sign-in](#about-sign-in). A key is shown only
once, when it is issued. To change its scopes, re-issue it; the old key stops working immediately. \`GET /me\` works with any key and
returns the application and the bot that it belongs to.

| Scope | Allows |
|---|---|
${rows(SCOPES)}

An action needs both the scope and the right in the bot’s role. A 403 with \`requiredScope\` needs a new key. One with
\`requiredRight\` needs a channel administrator; a new key doesn’t help.

**If a key leaks**, anyone who has it can revoke it: \`DELETE /key\`. Keys match

\`\`\`regex
\\b${KEY_PATTERN}\\b
\`\`\`

and end in a checksum: the CRC-32 of all characters before it as six base-62 digits (\`0–9A–Za–z\`), so a secret scanner can recognize
a real key without a request.

## Order of checks

Every request is checked in the same order, and the first check that fails decides the response:

1. **The key** → 401.
2. **The request quota** → 429. A rejected request uses no quota.
3. **The scope** → 403 with \`requiredScope\`.
4. **The input**: path, query, body, content type → 400. \`field\` and \`message\` name what is wrong.
5. **The installation** in \`channelId\` → 403. An unknown channel gets the same response.
6. **The room** belongs to the channel and has the right type → 422. A private room that doesn’t admit the bot gets the same response
   as a room that doesn’t exist.
7. **The right** of the bot’s role → 403 with \`requiredRight\`.
8. **The object**: message, member, reply target → 422; editing and deleting messages that are not the bot’s → 403.
9. **The write quota** → 429, on the routes that use it. Only requests that are carried out use it.

A request is carried out completely or not at all. If it takes longer than ${requestDeadline} seconds, it is rolled back and answered with 504.

## Requests

- Bodies are JSON with \`Content-Type: application/json\`, up to ${requestBody / 1024} KiB. Unknown fields are ignored.
- \`DELETE\` routes accept their fields in the body or in the query, because many HTTP libraries drop the body of a DELETE. If given
  in both, they must be equal.
- Ids are UUIDs. They sort by time and are case-insensitive.
- Timestamps are ISO-8601 in UTC with milliseconds: \`2026-11-15T09:30:00.000Z\`.
- Lengths are counted in Unicode code points. Text that is blank, contains U+0000 or isn’t well-formed Unicode is rejected. A message has
  1–${messageText} code points.

## Errors

Every error response has the same shape:

\`\`\`json
{
  "error": "Forbidden",
  "status": "error",
  "message": "The key lacks the scope messages:write.",
  "requiredScope": "messages:write"
}
\`\`\`

\`message\` is for people and its wording may change at any time. Programs should use the status, \`reason\`, \`field\`, \`requiredScope\`,
\`requiredRight\` and \`retryAfterSec\`.

| Status | Meaning | What to do |
|---|---|---|
${errorRows()}

If a status has several causes, \`reason\` is a stable code:

| Status | \`reason\` | When |
|---|---|---|
${reasonRows()}

## Quotas

- **${requestQuota} requests** in any ${quotaWindow} seconds, of which **${writeQuota}** can be **writes**: sending a message, deleting one, uploading a
  file, replacing the list of commands.
  Edits, reactions, pins and moderation don’t count as writes.
- The quotas belong to the application and are shared by all its programs. An operator can set other limits for it.
- The window slides and is exact: at no moment were more accepted in the ${quotaWindow} seconds before.
- Every response has \`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\` for the quota of the route that has less left. A client that stops
  at 0 never gets a 429.
- A 429 has \`Retry-After\` and \`retryAfterSec\`, in whole seconds: a request after that time succeeds if nothing else was sent in the
  meantime.

## Idempotency

A request whose response was lost can be repeated. \`GET\`, \`PUT\`, \`PATCH\` and \`DELETE\` routes, reactions, pins and joining voice are
idempotent. Repeating a deletion reports that the object is gone: 403 for a message of the bot, 422 for a message of another member,
for removing a member or disconnecting one from voice, 401 for revoking a key. Repeating a mute with \`durationSec\` restarts its time, and \`rotateSecret\` returns a new secret each time.

For sending a message, set the header \`Idempotency-Key\` to 1–64 visible ASCII characters of your choice. For ${hours} hours, a request with
the same key of the same application gets the first response (201, the same id) and uses no write quota. A different request with the same
key gets 422; with the header \`Idempotency-Compare: key\` it gets the first response too.

## Roles

\`systemName\` is one of ${Object.keys(DEFAULT_ROLES)
  .map((name) => `\`${name}\``)
  .join(', ')}, or \`CUSTOM\` for a role that the channel created. A bot is
installed as \`CHANNEL_BOT\`; the channel can give it another role. A bot can moderate only members whose highest role ranks below its own.

## Events

${EVENTS_GUIDE}

## Versioning

The version is in the path. Within \`/api/v1\`, changes only add: optional inputs, response fields, event kinds, routes. Ignore fields and events
that you don’t know. Any other change gets a new version in the path; the old version stays for at least 12 months, with the headers
\`Deprecation\` and \`Sunset\`.
`

function rows(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([name, about]) => `| \`${name}\` | ${about} |`)
    .join('\n')
}

function errorRows(): string {
  return Object.entries(HINTS)
    .map(([code, [meaning, hint]]) => {
      const { status, error } = ERRORS[code as ErrorCode]
      return `| ${status} ${error} | ${meaning} | ${hint} |`
    })
    .join('\n')
}

function reasonRows(): string {
  return Object.values(REFUSALS)
    .flatMap((refusal) =>
      'reason' in refusal ? [`| ${ERRORS[refusal.code].status} | \`${refusal.reason}\` | ${refusal.when} |`] : [],
    )
    .join('\n')
}
