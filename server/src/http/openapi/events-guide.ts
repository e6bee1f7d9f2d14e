import { LIMITS, RATE_LIMITS, SIGNATURE_HEADER, type EventKind } from '@portico/contract'
import { SETTINGS } from '../../config/config.ts'
import { CLOSES, ERRORS } from '../../events/stream-codes.ts'
import { BOT_EVENT_KINDS } from '../../events/bot-event-kinds.ts'

interface Schema {
  readonly description?: string
  readonly properties?: Record<string, Schema>
  readonly required?: readonly string[]
}

const hours = LIMITS.eventsKeptSeconds / 3600

/** The guide to events for bot developers, in Markdown: a section of the API reference, and docs/events.md. */
export const EVENTS_GUIDE = `An application receives the events of the channels where it is installed over a **WebSocket** or a **webhook**: choose one. Both
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

- A bot doesn't receive events about its own actions. If it moves, disconnects or kicks someone, the voice events are the member's,
  and it receives them like any other bot.
- Bots get events from private rooms that admit them, except private voice rooms. When a voice room becomes private, you
  receive \`voice.member_left\` for everyone in it; when it becomes public, \`voice.member_joined\`.
- Message and reaction events need the right \`read_text_room\` in the room, both when they happen and when they are
  recovered, retried or replayed. Messages of a deleted room aren't recovered.
- Deleting a message removes its text from everything that is recovered, retried or replayed: \`message.created\` and
  \`message.updated\` then have an empty \`text\` and no \`cards\` or \`components\`, and \`message.deleted\` follows. A repeated request with the same
  \`Idempotency-Key\` still gets the first response, without these. Events from before the bot joined the channel aren't recovered.
- Events of a room arrive in the order in which they happened. Every event is delivered at least once: after a lost connection
  or a retried delivery it may arrive again, with the same offset (WebSocket) or \`X-Service-Delivery\` (webhook).
- \`message.text\` is Markdown as it was typed.

| Event | When | \`data\` |
|---|---|---|
${rowsOf(BOT_EVENT_KINDS.filter(({ optIn }) => !optIn))}

## Kinds of event

Without asking, an application gets the events above and no others. To choose what it gets, it names kinds: with
\`GET /api/v1/events/token?kinds=message.created,member.joined\` for a WebSocket, with
\`{ "url": "https://…", "kinds": ["message.created", "member.joined"] }\` in \`PUT /api/v1/webhook\` for a webhook. The list is complete: nothing
else is sent. These kinds are sent only to applications that name them:

| Event | When | \`data\` |
|---|---|---|
${rowsOf(BOT_EVENT_KINDS.filter(({ optIn }) => optIn))}

- The kinds of a token are those of the connection that is opened with it; a new token with others counts from the next connection.
  After a reconnection the new kinds are recovered, too. A webhook keeps its kinds until a \`PUT\` names others.
- \`member.joined\` and \`member.left\` are about people and about other bots, never about the bot itself. If the bot removes someone, it receives
  \`member.left\` like any other bot.
- \`application.installed\` and \`application.removed\` are about the application itself, and only it receives them. \`application.removed\` is sent
  although the access to the channel has ended; requests about that channel are already answered with 403. It is the last event from there.
- \`component.pressed\` is received by the application that wrote the message or showed the notice, and by no other.
- \`option.requested\` is received by the application whose command it is, and only over a WebSocket that is connected at this moment: a
  question that nobody waits for anymore is of no use, so it has no offset, isn't recovered, and a webhook can't name it.
- A kind that doesn't exist is answered with 400. The response names the kinds in \`kinds\`; a portal of an earlier version, which doesn't, sends
  what it always sent.

## WebSocket

\`GET /api/v1/events/token\` returns \`token\`, \`channel\`, \`url\` and \`expiresIn\` (${LIMITS.eventTokenLife} seconds). Connect
to \`url\` with any Centrifuge client, in JSON or Protobuf; centrifugal.dev lists clients for many languages. With the SDK, with
\`centrifuge\` and \`ws\` from npm, or with \`httpx\` and \`centrifuge-python\` from PyPI:

\`\`\`ts
import { Bot } from '@portico/sdk'

const bot = new Bot({ url: 'https://chat.example', key: process.env.PORTICO_KEY })
bot.on('message.created', (ctx) => console.log(ctx.event, ctx.data))
bot.on('gap', () => console.log('disconnected for too long: reload what you need'))
await bot.run()
\`\`\`

\`\`\`js
import { Centrifuge } from 'centrifuge'
import WebSocket from 'ws'

async function getAccess() {
  const headers = { authorization: \`Bot \${process.env.PORTICO_KEY}\` }
  const response = await fetch('https://chat.example/api/v1/events/token', { headers })
  const body = await response.json()
  if (!response.ok) throw new Error(body.message)
  return body
}

const { url, channel } = await getAccess()
const client = new Centrifuge(url, { websocket: WebSocket, getToken: async () => (await getAccess()).token })
const events = client.newSubscription(channel)
events.on('publication', ({ data }) => console.log(data.event, data.data))
events.on('subscribed', ({ wasRecovering, recovered }) => {
  if (wasRecovering && !recovered) console.log('disconnected for too long: reload what you need')
})
events.subscribe()
client.connect()
\`\`\`

\`\`\`python
import asyncio
import os
import httpx
from centrifuge import Client, SubscriptionEventHandler

async def get_access():
    headers = {"Authorization": f"Bot {os.environ['PORTICO_KEY']}"}
    async with httpx.AsyncClient(timeout=30) as api:
        response = await api.get("https://chat.example/api/v1/events/token", headers=headers)
        return response.raise_for_status().json()

async def get_token():
    return (await get_access())["token"]

class Events(SubscriptionEventHandler):
    async def on_publication(self, ctx):
        print(ctx.pub.data["event"], ctx.pub.data["data"])

    async def on_subscribed(self, ctx):
        if ctx.was_recovering and not ctx.recovered:
            print("disconnected for too long: reload what you need")

async def main():
    access = await get_access()
    client = Client(access["url"], get_token=get_token)
    events = client.new_subscription(access["channel"], events=Events())
    await client.connect()
    await events.subscribe()
    await asyncio.Event().wait()

asyncio.run(main())
\`\`\`

- Pass a function that gets a token to the client, as above, so that it renews the token itself. The SDK does.
- After a lost connection or a restart of the portal, the client recovers what it missed: the last ${hours} hours or 10,000 events
  of the application, whichever is less. \`recovered\` is false only if something is missing.
- **One connection per application.** A second connection replaces the first, whose token is then rejected, so a restarted
  process takes over. To share the work among several machines, use a webhook.
- Re-issuing the key, deleting the application or losing the scope closes the connection permanently.
- A connection can send ${RATE_LIMITS.socketCommands} commands per minute; beyond that it is closed with 3013. A bot can recover ${RATE_LIMITS.recoveries} times per
  minute; beyond that it gets error 111. Clients reconnect on their own, with increasing delays.
- There is one channel to subscribe to. Another name gets error 103, and unsubscribing from it has no effect. \`rpc\`, history and
  presence get error 108, publishing 103. \`send\`, which has no reply, closes the connection with 3508.
- Don't do long work in the event handler: some clients answer pings only between events.

| Close code | Reason | The client |
|---|---|---|
${Object.values(CLOSES)
  .map(({ code, reason }) => `| ${code} | ${reason} | ${reconnects(code) ? 'reconnects' : 'doesn’t reconnect'} |`)
  .join('\n')}

| Error code | Message | The client |
|---|---|---|
${Object.values(ERRORS)
  .map((error) => `| ${error.code} | ${error.message} | ${'temporary' in error ? 'retries' : ''} |`)
  .join('\n')}

## Webhook

\`PUT /api/v1/webhook\` with \`{ "url": "https://…" }\` returns 201 with the signing \`secret\`, which is shown on creation and when
\`rotateSecret\` is true. Each event is then sent as a POST to that address:

| Header | Content |
|---|---|
| \`X-Service-Event\` | the event name; \`ping\` for a test |
| \`X-Service-Delivery\` | the delivery id: the same on every retry and redelivery, so that you can ignore duplicates |
| \`${SIGNATURE_HEADER}\` | \`sha256=\` and the HMAC-SHA256 of the raw body with the secret, in hex |
| \`webhook-id\`, \`webhook-timestamp\`, \`webhook-signature\` | the same in the format of standardwebhooks.com |

\`\`\`ts
import { createServer } from 'node:http'
import { Bot, toNodeHandler } from '@portico/sdk'

const bot = new Bot({ url: 'https://chat.example', key: process.env.PORTICO_KEY })
bot.on('message.created', (ctx) => console.log(ctx.event, ctx.data))
// Refuses forged, outdated and repeated deliveries.
createServer(toNodeHandler(bot.webhook({ secret: process.env.PORTICO_WEBHOOK_SECRET }))).listen(8080)
await bot.run()
\`\`\`

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto'

/** Verifies the raw bytes of the body before they are parsed. */
function isGenuine(rawBody, header, secret) {
  const expected = Buffer.from(\`sha256=\${createHmac('sha256', secret).update(rawBody).digest('hex')}\`)
  const given = Buffer.from(header ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
\`\`\`

\`\`\`python
import hashlib
import hmac

def is_genuine(raw_body: bytes, header: str | None, secret: str) -> bool:
    """Verifies the raw bytes of the body before they are parsed."""
    expected = "sha256=" + hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), (header or "").encode())
\`\`\`

- Respond with any 2xx within 10 seconds, and do the work afterwards. The status and headers decide; the body may take longer, or never
  end. Redirects count as failures. \`410\` turns the webhook off.
- A failed delivery is retried after ${SETTINGS.WEBHOOK_RETRY_PAUSES.fallback.split(',').join(', ')} seconds, each ±20 %; \`Retry-After\`
  of a 429 or 503 is respected up to an hour. New events don't wait for retries. While the address is failing, one attempt is made
  at a time; otherwise at most eight, in order within each room.
- \`GET /api/v1/webhook\` shows \`failedStreak\`. After ${SETTINGS.WEBHOOK_OFF_STREAK.fallback} failures in a row over at least ${Number(SETTINGS.WEBHOOK_OFF_SECONDS.fallback) / 60} minutes without a success, or when a
  delivery has used all its attempts without any success since it began, the webhook is turned off (\`active: false\`). Setting the
  address again turns it on for new events; setting the same address of an active webhook doesn't reset the streak. Events from
  the time it was off are held for ${hours} hours and can be replayed, at most ten per second.
- While the application has no key with the scope \`events\`, or its owner is disabled, the webhook is paused and events are held for 72
  hours. When that ends, they are sent without a replay: in order, at most ten per second, and before newer events of their room.
- The address must be public, use https and contain no user name, and have at most ${LIMITS.webhookUrl} characters. Host names are resolved
  and checked before every delivery.
- Secrets start with \`whsec_\`, followed by base64. The last four bytes are the CRC-32 of the bytes before them.`

function rowsOf(kinds: readonly EventKind[]): string {
  return kinds.map((kind) => `| \`${kind.event}\` | ${kind.summary} | ${fieldsOf({ ...kind.data })} |`).join('\n')
}

/** `roomId`, `message{ id, text }` */
function fieldsOf({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const shown = field.properties ? `\`${name}\`{ ${fieldsOf(field)} }` : `\`${name}\``
      return (
        shown +
        (field.description?.startsWith('Always null') ? ' (always null)' : '') +
        (required.includes(name) ? '' : ' (when set)')
      )
    })
    .join(', ')
}

function reconnects(code: number): boolean {
  return code < 3500 || (code >= 4000 && code < 4500)
}
