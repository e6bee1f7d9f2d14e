import { LIMITS, RATE_LIMITS, SIGNATURE_HEADER } from '@portico/contract'
import { SETTINGS } from '../../config/config.ts'
import { CLOSES, ERRORS } from '../../websocket/protocol.ts'
import { BOT_EVENT_KINDS } from '../../events/bot-event-kinds.ts'

interface Schema {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
}

const hours = LIMITS.eventsKeptSeconds / 3600

/** What a bot developer has to know about events, in Markdown: a part of the API reference, and docs/events.md. */
export const EVENTS_GUIDE = `What happens on the channels where an application is installed reaches it over a **WebSocket** or a **webhook**: choose one. Both
carry the same bytes. The key needs the scope \`events\`.

\`\`\`json
{
  "event": "message.created",
  "timestamp": "2026-11-15T09:30:00.000Z",
  "channelId": "01a05bfb-6e04-7f18-a3b7-92c1e50d8f46",
  "data": {
    "roomId": "01a05bfb-7a31-7c02-9d44-0be1f3a6c958",
    "message": {
      "id": "01a1de8a-c9c0-7b1e-8a55-3f0c9d2e7b61",
      "text": "Is the build green?",
      "createdAt": "2026-11-15T09:30:00.000Z",
      "author": { "id": "01a05bfb-6e04-7f18-a3b7-92c1e50d8f47", "name": "Ada Novak" }
    }
  }
}
\`\`\`

- A bot is never told of its own actions.
- What happens in private rooms reaches the bots that they admit; private voice rooms, none. When a voice room turns
  private, you receive \`voice.member_left\` for everybody inside; when it turns public, \`voice.member_joined\`.
- Messages and reactions of a room reach a bot while its role has the right \`read_text_room\` there: when they happen, and
  again when they are recovered or replayed. What was said in a room that is deleted is not recovered.
- Deleting a message removes its text from what is recovered, retried or replayed: \`message.created\` and \`message.updated\` then
  carry an empty \`text\`, and \`message.deleted\` follows. A repeated request with the same \`Idempotency-Key\`, which has to
  bring the text along, is still answered like the first. Nobody recovers events from before they joined the channel.
- Events of one room come in the order in which they happened. Every event comes at least once: after a lost connection or a
  repeated delivery it may come again, and both transports mark it (the offset; \`X-Service-Delivery\`).
- \`message.text\` is Markdown as it was typed.

| Event | When | \`data\` |
|---|---|---|
${BOT_EVENT_KINDS.map((kind) => `| \`${kind.event}\` | ${kind.summary} | ${fieldsOf({ ...kind.data })} |`).join('\n')}

## WebSocket

\`GET /api/v1/events/token\` gives \`token\`, \`channel\`, \`url\` and \`expiresIn\` (${LIMITS.eventTokenLife} seconds). Any
Centrifuge client connects to \`url\`, in JSON or Protobuf; centrifugal.dev lists them for many languages. With the one for JavaScript
(\`npm install centrifuge ws\`):

\`\`\`js
import { Centrifuge } from 'centrifuge'
import WebSocket from 'ws'

async function ask() {
  const headers = { authorization: \`Bot \${process.env.PORTICO_KEY}\` }
  const response = await fetch('https://chat.example/api/v1/events/token', { headers })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}

const { url, channel } = await ask()
const client = new Centrifuge(url, { websocket: WebSocket, getToken: async () => (await ask()).token })
const events = client.newSubscription(channel)
events.on('publication', ({ data }) => console.log(data.event, data.data))
events.on('subscribed', ({ wasRecovering, recovered }) => {
  if (wasRecovering && !recovered) console.log('away for too long: read what you need anew')
})
events.subscribe()
client.connect()
\`\`\`

- Give the client \`getToken\`, as above: it renews the token by itself.
- After a drop, and after a restart of the portal, the client recovers what it missed: the last ${hours} hours or 10,000 events of the
  application, whichever is less. \`recovered\` is false only when it is really too old.
- **One connection per application.** A second one displaces the first, whose token is then refused: a process that is started
  anew takes over, two processes do not fight. To share the work among machines, use a webhook.
- Re-issuing the key, deleting the application or the loss of the scope ends the connection for good.
- A connection may send ${RATE_LIMITS.socketCommands} commands a minute, or is closed with 3013; a bot may ask for what it missed ${RATE_LIMITS.recoveries} times a
  minute, or is told to wait by error 111. Clients come back by themselves, with growing pauses.
- There is one channel to subscribe to; another name is error 103, and unsubscribing from it changes nothing. \`rpc\`, history and
  presence are error 108, publishing is 103, and \`send\`, which has no answer, closes the connection with 3508.
- Hand long work off in your handler: some clients answer pings only between events.

| Close code | Reason | The client |
|---|---|---|
${Object.values(CLOSES)
  .map(({ code, reason }) => `| ${code} | ${reason} | ${comesBack(code) ? 'comes back by itself' : 'stays away'} |`)
  .join('\n')}

| Error code | Message | The client |
|---|---|---|
${Object.values(ERRORS)
  .map((error) => `| ${error.code} | ${error.message} | ${'temporary' in error ? 'tries again by itself' : ''} |`)
  .join('\n')}

## Webhook

\`PUT /api/v1/webhook\` with \`{ "url": "https://…" }\` answers 201 with the signing \`secret\`, which is shown on creation and when
\`rotateSecret\` is true. Each event is then a POST to that address:

| Header | What it carries |
|---|---|
| \`X-Service-Event\` | the event name; \`ping\` for a test |
| \`X-Service-Delivery\` | the delivery id: the same on every retry and redelivery, so that repetitions can be dropped |
| \`${SIGNATURE_HEADER}\` | \`sha256=\` and the HMAC-SHA256 of the raw body with the secret, in hex |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | the same by the convention of standardwebhooks.com |

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Over the raw bytes of the body, before any parsing. */
function isGenuine(rawBody, header, secret) {
  const expected = Buffer.from(\`sha256=\${createHmac('sha256', secret).update(rawBody).digest('hex')}\`)
  const given = Buffer.from(header ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
\`\`\`

- Answer with any 2xx within 10 seconds, and do the work afterwards. Redirects count as failures. \`410\` turns the webhook off.
- A failed delivery is tried again after ${SETTINGS.WEBHOOK_RETRY_PAUSES.fallback.split(',').join(', ')} seconds, each a fifth more or less;
  \`Retry-After\` of a 429 or 503 is respected up to an hour. New events do not wait for retries. While the address fails, one
  attempt is under way at a time; else at most eight, in order within each room.
- \`GET /api/v1/webhook\` shows \`failedStreak\`. After ${SETTINGS.WEBHOOK_OFF_STREAK.fallback} failures in a row that went on for at least ${Number(SETTINGS.WEBHOOK_OFF_SECONDS.fallback) / 60} minutes without a success, or when a
  delivery has used up its attempts with no success since it began, the webhook is turned off (\`active: false\`). Setting the address again turns
  it on with new events (of a webhook that is on, the same address leaves the streak as it is); those of the time between are kept ${hours} hours and can be replayed, at most ten a second.
- While the application has no key with the scope \`events\`, nothing is sent: what happens is held in the same way, and new events
  go out again with the scope.
- The address is public and https, without a user in it, at most ${LIMITS.webhookUrl} characters. Names are resolved and checked before every delivery.
- Secrets start with \`whsec_\`; the last four of the bytes behind it, in base64, are the CRC-32 of the others.`

/** `roomId`, `message{ id, text }` */
function fieldsOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const shown = field.properties ? `\`${name}\`{ ${fieldsOf(field)} }` : `\`${name}\``
      return shown + (field.type === 'null' ? ' (always null)' : '') + (required.includes(name) ? '' : ' (when set)')
    })
    .join(', ')
}

function comesBack(code: number): boolean {
  return code < 3500 || (code >= 4000 && code < 4500)
}
