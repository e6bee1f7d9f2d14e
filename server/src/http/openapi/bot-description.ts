import { DEFAULT_ROLES, ERRORS, LIMITS, REFUSALS, SCOPES, type ErrorCode } from '@portico/contract'
import { KEY_PATTERN } from '../../applications/key.ts'
import { EVENTS_GUIDE } from './events-guide.ts'

const { requestQuota, writeQuota, quotaWindow, messageText, requestBody, requestDeadline } = LIMITS
const hours = LIMITS.idempotencySeconds / 3600

/** What each status means to a bot developer, in the order of the numbers. */
const HINTS: Readonly<Record<ErrorCode, readonly [meaning: string, cure: string]>> = {
  badRequest: ['The form of the request is not right', 'Mend what `field` and `message` name'],
  unauthorized: ['The key is missing, wrong, re-issued or revoked', 'Check the key, or have a new one issued'],
  forbidden: ['Not allowed to this key or this bot', 'Look at `requiredScope`, `requiredRight`, `reason`'],
  notFound: ['There is no such route; on `GET /webhook`, no webhook', 'Check method and path'],
  unprocessable: ['Well-formed and allowed, but it cannot be done', 'Look at `reason`'],
  tooManyRequests: ['A quota is used up', 'Wait `retryAfterSec` seconds, then repeat'],
  fault: ['A fault of ours', 'Repeat later; tell the operator the `X-Request-Id`'],
  timeout: ['The portal did not answer in time', 'Repeat the request'],
}

/** What a bot developer reads before the routes: the rules that hold for all of them. */
export const BOT_DESCRIPTION = `An application acts through its **bot**, a member of every channel on which the application is installed. What the bot may do
is limited twice: by the **scopes** of the application’s key, and by the **role** that the channel gave the bot.

## Keys and scopes

Every request carries the application’s key:

\`\`\`http
Authorization: Bot portico_bot_…
\`\`\`

The scheme is \`Bot\`; \`Bearer\` is for tokens of people who signed in to a website, and opens the routes under [Sign-in](#about-sign-in). A key is shown once, when it is issued. Re-issuing it ends the old
one at that instant, and is the only way to change its scopes. \`GET /me\` works with any key and tells whom it speaks for.

| Scope | Opens |
|---|---|
${rows(SCOPES)}

An action needs both the scope and the right in the bot’s role. A 403 with \`requiredScope\` is cured by a new key; one with
\`requiredRight\` by the channel’s administrator, and a new key does not help.

**If a key leaks**, whoever holds it can end it: \`DELETE /key\`. Keys are recognisable: they match

\`\`\`regex
\\b${KEY_PATTERN}\\b
\`\`\`

and end in a checksum, the CRC-32 of all characters before it in six digits to the base 62 (\`0–9A–Za–z\`), so that a secret scanner
can tell a key from a look-alike without asking anybody.

## The way of a request

Every request is checked in the same order, and the first check that fails answers:

1. **The key** → 401.
2. **The request quota** → 429. A refused request consumes nothing.
3. **The scope** → 403 with \`requiredScope\`.
4. **The form**: path, query, body, content type → 400. \`field\` and \`message\` name what is wrong.
5. **The installation** on \`channelId\` → 403. An unknown channel gives the same answer.
6. **The room** belongs to the channel and is of the right type → 422. A private room that does not admit the bot gives the same answer
   as no room at all.
7. **The right** of the bot’s role → 403 with \`requiredRight\`.
8. **The object**: message, member, reply target → 422; editing and deleting messages that are not the bot’s → 403.
9. **The write quota** → 429, on the routes that consume it. It is consumed only by requests that are then carried out.

A request is carried out whole or not at all. What is not answered within ${requestDeadline} seconds is rolled back and answered with 504.

## Requests

- Bodies are JSON with \`Content-Type: application/json\`, up to ${requestBody / 1024} KiB. Unknown fields are ignored.
- \`DELETE\` routes take their fields in the body or in the query, since many HTTP libraries drop a DELETE’s body. Given in both places,
  they must agree.
- Ids are UUIDs. They sort by time, and are compared without regard to case.
- Timestamps are ISO-8601 in UTC with milliseconds: \`2026-11-15T09:30:00.000Z\`.
- Lengths are counted in Unicode code points. Text that is blank, holds U+0000 or is not well-formed Unicode is refused. A message has
  1–${messageText} of them.

## Errors

Every answer that is not a success has the same shape:

\`\`\`json
{
  "error": "Forbidden",
  "status": "error",
  "message": "The key lacks the scope messages:write.",
  "requiredScope": "messages:write"
}
\`\`\`

\`message\` is for people and may be worded anew at any time; programs look at the status, \`reason\`, \`field\`, \`requiredScope\`,
\`requiredRight\` and \`retryAfterSec\`.

| Status | Meaning | What to do |
|---|---|---|
${errorRows()}

Where a status has several causes, \`reason\` is a stable word for it:

| Status | \`reason\` | When |
|---|---|---|
${reasonRows()}

## Quotas

- **${requestQuota} requests** in any ${quotaWindow} seconds, and of these **${writeQuota} writes**: sending a message, deleting one, replacing the list of commands. Edits,
  reactions, pins and moderation are not writes.
- The quotas belong to the application, whatever machine it asks from. An operator may have set others for it.
- The window slides and is exact: at no moment were more accepted in the ${quotaWindow} seconds before.
- \`X-RateLimit-Limit\` and \`X-RateLimit-Remaining\` are on every answer and describe the tightest quota that governs the route. A client that
  stops at 0 never meets a 429.
- A 429 carries \`Retry-After\` and \`retryAfterSec\`, in whole seconds: a request after that long succeeds if nothing else was sent meanwhile.

## Idempotency

A request whose answer got lost can be repeated. \`GET\`, \`PUT\`, \`PATCH\` and \`DELETE\` routes, reactions, pins and joining voice come to the same when
repeated. What is gone is then answered as gone: deleting a message again with 403, removing a member or taking one out of voice again with 422, ending
a key again with 401. A mute with \`durationSec\` begins anew, and \`rotateSecret\` gives another secret each time. For sending a message, set the header \`Idempotency-Key\` to 1–64 visible ASCII characters of your choice: for ${hours} hours, the same
key of the same application is answered with the first answer (201, the same id) and consumes no write quota. With another request, it is a 422.

## Roles

\`systemName\` is one of ${Object.keys(DEFAULT_ROLES)
  .map((name) => `\`${name}\``)
  .join(', ')}, or \`CUSTOM\` for a role that the channel made itself. A bot is
installed as \`CHANNEL_BOT\`; the channel may give it another role. Moderation touches only members whose highest role ranks below the bot’s.

## Events

${EVENTS_GUIDE}

## Versioning

The version is in the path. Within \`/api/v1\`, changes only add: optional inputs, fields in answers, event kinds, routes. Be ready for fields
and events that you do not know. Anything else is a new version in the path; the old one then lives on for at least 12 months and says so with the
headers \`Deprecation\` and \`Sunset\`.
`

function rows(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([name, about]) => `| \`${name}\` | ${about} |`)
    .join('\n')
}

function errorRows(): string {
  return Object.entries(HINTS)
    .map(([code, [meaning, cure]]) => {
      const { status, error } = ERRORS[code as ErrorCode]
      return `| ${status} ${error} | ${meaning} | ${cure} |`
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
