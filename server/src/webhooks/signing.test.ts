import { crc32 } from 'node:zlib'
import { verify } from '@octokit/webhooks-methods'
import { pino } from 'pino'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { eventually } from '../../test/eventually.ts'
import { WebhookReceiver } from '../../test/webhook-receiver.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { newWebhookSecret, signedHeaders } from './signing.ts'

const logged: string[] = []
const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
const ready = portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '0.1' }, log)

const text = 'Grüße 👋🏽 \u2028 <b>"\\n"</b> \u{1F468}\u200D\u{1F469}'

describe('a delivery', () => {
  test('is verified by receivers’ libraries over the raw bytes', async () => {
    await ready
    const { owner, room, bots } = await channelFixture({ bots: 1 })
    const receiver = await WebhookReceiver.start()
    const { secret } = expectOk(await bots[0].put<{ secret: string }>('/webhook', { url: receiver.url }))
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    const [received] = await receiver.first(1)
    const { headers, text: body = '' } = received ?? {}

    expect(await verify(secret, body, String(headers?.['x-service-signature']))).toBe(true)
    expect(await verify(secret, `${body} `, String(headers?.['x-service-signature']))).toBe(false)
    expect(await verify(newWebhookSecret(), body, String(headers?.['x-service-signature']))).toBe(false)

    const standard = new Webhook(secret)
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    const standardHeaders = Object.fromEntries(names.map((name) => [name, String(headers?.[name])]))
    expect(standard.verify(body, standardHeaders)).toMatchObject({
      event: 'message.created',
      data: { message: { text } },
    })
    expect(() => standard.verify(`${body} `, standardHeaders)).toThrow('No matching signature')
    const old = { ...standardHeaders, 'webhook-timestamp': String(Number(headers?.['webhook-timestamp']) - 3600) }
    expect(() => standard.verify(body, old)).toThrow('too old')
  })

  test('is signed with the new secret immediately after the rotation', async () => {
    const { owner, room, bots } = await channelFixture({ bots: 1 })
    const receiver = await WebhookReceiver.start()
    const first = expectOk(await bots[0].put<{ secret: string }>('/webhook', { url: receiver.url }))
    for (let turn = 0; turn < 3; turn += 1) {
      const rotated = expectOk(
        await bots[0].put<{ secret: string }>('/webhook', { url: receiver.url, rotateSecret: true }),
      )
      expect(rotated.secret).not.toBe(first.secret)
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: `turn ${turn}` }))
      const received = (await receiver.first(turn + 1)).at(-1)
      const signature = String(received?.headers['x-service-signature'])
      expect(await verify(rotated.secret, received?.text ?? '', signature)).toBe(true)
      expect(await verify(first.secret, received?.text ?? '', signature)).toBe(false)
    }
  })
})

describe('a secret', () => {
  test('has a prefix and a checksum for secret scanners', () => {
    const secret = newWebhookSecret()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{48}$/)
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
    expect(bytes.readUInt32BE(32)).toBe(crc32(bytes.subarray(0, 32)))
    expect(newWebhookSecret()).not.toBe(secret)
  })

  test('is neither in the database nor in the log', async () => {
    const { server, owner, room, bots } = await channelFixture({ bots: 1 })
    const receiver = await WebhookReceiver.start()
    receiver.replies = [500, 204]
    const { secret } = expectOk(await bots[0].put<{ secret: string }>('/webhook', { url: receiver.url }))
    const id = bots[0].application.id
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await receiver.first(2)
    const list = async () =>
      expectOk(await owner.get<{ deliveries: { id: string; attempts: number }[] }>(`/applications/${id}/deliveries`))
        .deliveries
    await eventually(list).toMatchObject([{ attempts: 2 }])
    for (const delivery of await list()) expectOk(await owner.get(`/applications/${id}/deliveries/${delivery.id}`))

    const bare = secret.slice('whsec_'.length)
    const tables = await queryDatabaseOf(
      server,
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    )
    expect(tables.length).toBeGreaterThan(20)
    for (const { name } of tables) {
      const rows = await queryDatabaseOf(server, `SELECT t::text AS row FROM ${String(name)} t`)
      for (const { row } of rows) {
        expect(String(row).includes(bare), String(name)).toBe(false)
        expect(String(row).includes(Buffer.from(secret).toString('hex')), String(name)).toBe(false)
      }
    }
    expect(logged.join('')).toContain('delivery failed')
    expect(logged.join('')).not.toContain(bare)
  })
})

test('a refused private address is logged with the setting that would allow it, which administrators see', async () => {
  const { administrator } = await ready
  const { owner, newBot } = await channelFixture()
  const { id } = (await newBot()).application
  const { id: own } = expectOk(await administrator.post<{ id: string }>('/applications', { name: 'Own' }))
  for (const url of ['https://10.0.0.1/', 'https://[fd00::1]/', 'https://printer.local/']) {
    logged.length = 0
    const refused = await owner.put<{ message: string }>(`/applications/${id}/webhook`, { url })
    expect(refused).toMatchObject({ status: 400, body: { field: 'url', reason: 'webhook_address' } })
    expect(refused.body.message).not.toContain('WEBHOOK_ALLOW_CIDR')
    expect(logged.join(''), url).toContain('WEBHOOK_ALLOW_CIDR')
    expect(await administrator.put(`/applications/${own}/webhook`, { url })).toMatchObject({
      status: 400,
      body: { field: 'url', reason: 'webhook_network', message: expect.stringContaining('WEBHOOK_ALLOW_CIDR') },
    })
  }
  const plain = await administrator.put(`/applications/${own}/webhook`, { url: 'http://example.com/' })
  expect(plain).toMatchObject({ status: 400, body: { reason: 'webhook_address' } })
})

test('known inputs produce the known signatures', () => {
  // The example of the Standard Webhooks reference implementation.
  const headers = signedHeaders({
    deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    event: 'ping',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    timestamp: 1_614_265_330,
  })
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
