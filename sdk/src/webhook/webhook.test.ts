import { createServer as createHttpsServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import Fastify from 'fastify'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { signedHeaders } from '../../../server/src/webhooks/signing.ts'
import { channelFixture, expectOk, portal } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { certificate } from '../../../server/test/webhook-receiver.ts'
import { botOf } from '../../test/start-bot.ts'
import { toExpressHandler, toFastifyPlugin, toHonoHandler, toNodeHandler, type WebhookHandler } from '../index.ts'
import { webhookHandler } from './webhook.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

type Listener = (request: IncomingMessage, response: ServerResponse) => unknown

/** Mounts a webhook at /portico of a web framework, and returns what a server needs. */
const frameworks: Record<string, (handler: WebhookHandler) => Promise<Listener> | Listener> = {
  'node:http': (handler) => toNodeHandler(handler),
  Express: (handler) => {
    const app = express()
    app.post('/portico', toExpressHandler(handler))
    app.use(express.json())
    return app
  },
  'Express after express.raw': (handler) => {
    const app = express()
    app.use(express.raw({ type: 'application/json' }))
    app.post('/portico', toExpressHandler(handler))
    return app
  },
  Fastify: async (handler) => {
    const app = Fastify()
    await app.register(toFastifyPlugin(handler), { prefix: '/portico' })
    await app.ready()
    return (request, response) => app.routing(request, response)
  },
  Hono: (handler) => {
    const app = new Hono()
    app.post('/portico', toHonoHandler(handler))
    return getRequestListener((request) => app.fetch(request))
  },
}

async function listen(listener: Listener): Promise<string> {
  const { key, cert } = await certificate()
  const server = createHttpsServer({ key, cert }, (request, response) => void listener(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/portico`
}

describe('a webhook', () => {
  test.each(Object.entries(frameworks))('receives the portal’s deliveries with %s', async (_, mount) => {
    const { server, owner, room, bots } = await channelFixture({ bots: 1 })
    const bot = botOf(server, bots[0])
    bot.command('/deploy', { description: 'Deploy' }, (ctx) => ctx.reply(`Deploying ${ctx.args.join(' and ')}`))
    const handled: string[] = []
    bot.on('message.created', ({ data }) => void handled.push(data.message.text))
    // The secret is known only once the address is set.
    let handler: WebhookHandler = async () => new Response(null, { status: 503 })
    const url = await listen(await mount((request) => handler(request)))
    const { secret = '' } = await bot.client.setWebhook({ url })
    handler = bot.webhook({ secret })
    await bot.start()

    const texts = ['Grüße 👋🏽 \u2028 <b>"\\n"</b>', '/deploy "the api" web', 'bye']
    for (const text of texts)
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await eventually(() => handled).toEqual(texts)
    const newest = async () =>
      (await bot.client.listMessages({ channelId: room.channelId, roomId: room.id })).messages.map(({ text }) => text)
    await eventually(newest).toContain('Deploying the api and web')
    expect(await bot.client.getWebhook()).toMatchObject({ active: true, failedStreak: 0 })
  })
})

describe('a webhook handler', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const body = JSON.stringify({
    event: 'message.deleted',
    timestamp: '2026-11-15T09:30:00.000Z',
    channelId: 'c',
    data: { roomId: 'r' },
  })

  function deliver(change: { body?: string; headers?: Record<string, string>; age?: number; id?: string } = {}) {
    const timestamp = Math.floor(Date.now() / 1000) - (change.age ?? 0)
    const headers = signedHeaders({ deliveryId: change.id ?? 'd1', event: 'message.deleted', body, secret, timestamp })
    return new Request('https://bot.example/', {
      method: 'POST',
      headers: { ...headers, ...change.headers },
      body: change.body ?? body,
    })
  }

  function handlerFixture() {
    const events: string[] = []
    return { events, handler: webhookHandler({ secret }, ({ id }) => void events.push(id)) }
  }

  test('answers before it handles the event, and passes on each delivery once', async () => {
    const { events, handler } = handlerFixture()
    expect((await handler(deliver())).status).toBe(204)
    expect(events).toEqual([])
    expect((await handler(deliver())).status).toBe(204)
    expect((await handler(deliver({ id: 'd2' }))).status).toBe(204)
    await eventually(() => events).toEqual(['d1', 'd2'])
  })

  test.each([
    ['a changed body', { body: `${body} ` }],
    ['another id', { headers: { 'webhook-id': 'd9' } }],
    ['a wrong signature', { headers: { 'webhook-signature': 'v1,AAAA' } }],
    ['a signature that isn’t base64', { headers: { 'webhook-signature': 'v1,§' } }],
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['an old timestamp', { age: 400 }],
    ['a timestamp in the future', { age: -400 }],
    ['a later timestamp than the signed one', { age: 400, headers: { 'webhook-timestamp': String(Date.now()) } }],
  ])('refuses a delivery with %s', async (_, change) => {
    const { events, handler } = handlerFixture()
    expect((await handler(deliver(change))).status).toBe(401)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(events).toEqual([])
  })

  test('refuses a body that is too long for a delivery', async () => {
    const { events, handler } = handlerFixture()
    const long = 'x'.repeat(1024 * 1024 + 1)
    expect((await handler(deliver({ body: long }))).status).toBe(413)
    const url = await listen(toNodeHandler(handler))
    expect((await fetch(url, { method: 'POST', body: long })).status).toBe(413)
    expect(events).toEqual([])
  })

  test('refuses other methods', async () => {
    const { handler } = handlerFixture()
    expect((await handler(new Request('https://bot.example/'))).status).toBe(405)
  })

  test('says that a body parser was mounted before it', async () => {
    const { handler } = handlerFixture()
    const app = express()
    app.use(express.json())
    app.post('/portico', toExpressHandler(handler))
    const errors: unknown[] = []
    app.use(((error, _request, response, _next) => {
      errors.push(error)
      response.sendStatus(500)
    }) as express.ErrorRequestHandler)
    const url = await listen(app)
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(String(errors[0])).toContain('Mount the webhook before it')
  })
})
