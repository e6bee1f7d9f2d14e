import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { createBot } from '../src/bot.js'

const SECRET = 'whsec_c2VjcmV0'

for (const [text, greeting] of [
  ['/hello', 'Hello, **Ada**!'],
  ['/hello Grace Hopper', 'Hello, **Grace Hopper**!'],
]) {
  await test(`answers ${text} with ${greeting}`, async () => {
    const { fetch, firstMessage } = fakePortal()
    const bot = createBot({ url: 'http://portal.test', key: 'key', fetch })
    const handle = bot.webhook({ secret: SECRET })

    const message = { id: 'm1', text, createdAt: now(), author: { id: 'u1', name: 'Ada' } }
    await deliver(handle, { event: 'message.created', channelId: 'c1', data: { roomId: 'r1', message } })

    const components = [{ type: 'button', id: 'wave', label: 'Wave' }]
    assert.deepEqual(await firstMessage, { channelId: 'c1', text: greeting, replyToId: 'm1', components })
  })
}

/** A portal that accepts everything, and what the first message contains that the bot sends. */
function fakePortal() {
  /** @type {(message: unknown) => void} */
  let sent = () => {}
  /** @type {Promise<unknown>} */
  const firstMessage = new Promise((resolve) => (sent = resolve))
  /** @type {typeof globalThis.fetch} */
  const fetch = async (_url, init) => {
    if (typeof init?.body === 'string') sent(JSON.parse(init.body))
    return Response.json({ id: 'm2' })
  }
  return { fetch, firstMessage }
}

/**
 * Gives the bot an event, as a signed delivery of a webhook.
 *
 * @param {(request: Request) => Promise<Response>} handle
 * @param {object} event
 */
async function deliver(handle, event) {
  const body = JSON.stringify({ timestamp: now(), ...event })
  const [id, timestamp] = ['delivery-1', String(Math.floor(Date.now() / 1000))]
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
  const response = await handle(new Request('http://bot.test', { method: 'POST', headers, body }))
  assert.equal(response.status, 204)
}

function now() {
  return new Date().toISOString()
}
