/**
 * A first bot: replies to everyone who writes `/hello` in one room.
 *
 *     PORTICO_URL=http://localhost:3000 PORTICO_KEY=portico_bot_… node examples/first-bot.ts bot-yard
 */
import { setTimeout as sleep } from 'node:timers/promises'

const { PORTICO_URL = 'http://localhost:3000', PORTICO_KEY = '' } = process.env
const [roomName = 'general'] = process.argv.slice(2)

interface Profile {
  bot: { id: string; name: string }
  channels: { id: string; name: string }[]
}

interface Message {
  id: string
  text: string
  author: { id: string; name: string }
}

/** Sends one request. On 429 and 504 it waits as long as the portal asks for and tries again, up to five times. */
async function call<T>(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${PORTICO_URL}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bot ${PORTICO_KEY}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (response.status === 204) return undefined as T
    const answer: unknown = await response.json()
    if (response.ok) return answer as T

    const { message, retryAfterSec } = answer as { message: string; retryAfterSec?: number }
    const isTemporary = response.status === 429 || response.status === 504
    if (!isTemporary || attempt === 5) throw new Error(`${method} ${path}: ${response.status} ${message}`)
    await sleep((retryAfterSec ?? attempt) * 1000)
  }
}

const { bot, channels } = await call<Profile>('GET', '/me')
const [channel] = channels
if (!channel) throw new Error(`${bot.name} is not installed in any channel`)
const { rooms } = await call<{ rooms: { id: string; name: string; type: string }[] }>(
  'GET',
  `/channels/${channel.id}/rooms`,
)
const room = rooms.find(({ name, type }) => name === roomName && type === 'text')
if (!room) throw new Error(`There is no text room ${roomName} in ${channel.name}`)

const history = `/rooms/${room.id}/messages?channelId=${channel.id}`
let { messages } = await call<{ messages: Message[] }>('GET', history)
let newest = messages[0]?.id ?? ''
console.log(`${bot.name} listens in ${room.name}`)

for (;;) {
  await sleep(2000)
  ;({ messages } = await call<{ messages: Message[] }>('GET', history))
  // Ids sort by time, and history comes newest first.
  const fresh = messages.filter(({ id }) => id > newest).toReversed()
  newest = messages[0]?.id ?? newest
  for (const { id, text, author } of fresh) {
    if (author.id === bot.id || text.trim() !== '/hello') continue
    const reply = { channelId: channel.id, text: `Hello, **${author.name}**!`, replyToId: id }
    // Even if the response is lost and the request is repeated, each message gets one reply.
    await call('POST', `/rooms/${room.id}/messages`, reply, { 'idempotency-key': `hello-${id}` })
  }
}
