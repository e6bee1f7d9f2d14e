import type { Delivery } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { NameServer } from '../../test/name-server.ts'
import { WebhookReceiver, textOf } from '../../test/webhook-receiver.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const names = await NameServer.start()
/** 127.0.0.1 acts as a public address here; 127.0.0.2 stays private. */
const SETTINGS = { WEBHOOK_ALLOW_CIDR: '127.0.0.1', WEBHOOK_DNS: names.address, WEBHOOK_RETRY_PAUSES: '0.1' }
const ready = portal(SETTINGS)

/** A bot with a webhook at a host name, a public receiver behind it and a private one on the same port. */
async function webhookAtHostName() {
  await ready
  const made = await channelFixture({ bots: 1 })
  const [bot] = made.bots
  const { owner, room } = made
  const open = await WebhookReceiver.start()
  const inner = await WebhookReceiver.start('127.0.0.2', open.port)
  const url = `https://hooks.example.com:${open.port}/hook`
  const set = (to = url) => bot.put<{ message: string }>('/webhook', { url: to })
  const say = async (text: string) =>
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
  const deliveries = async () =>
    expectOk(await owner.get<{ deliveries: Delivery[] }>(`/applications/${bot.application.id}/deliveries`)).deliveries
  return { ...made, bot, open, inner, url, set, say, deliveries }
}

/** DNS answers in turn; the last one repeats. */
function changing(...answers: string[][]): void {
  names.answer = () => (answers.length > 1 ? answers.shift() : answers[0]) ?? []
}

function always(...addresses: string[]): void {
  names.answer = () => addresses
}

describe('a delivery to a host name', () => {
  test('connects to the checked address, although DNS has changed meanwhile', async () => {
    const { open, inner, set, say } = await webhookAtHostName()
    always('127.0.0.1')
    expect(await set()).toMatchObject({ status: 201 })

    // One query each for IPv4 and IPv6; a second lookup would return the private address.
    changing(['127.0.0.1'], ['127.0.0.1'], ['127.0.0.2'])
    names.requested.length = 0
    await say('hello')
    expect((await open.first(1)).map(textOf)).toEqual(['hello'])
    expect(names.requested).toEqual(['hooks.example.com'])
    expect(inner.received).toEqual([])
  })

  test('fails when the name now resolves to a private network, with or without a keep-alive connection', async () => {
    const { open, inner, set, say, deliveries } = await webhookAtHostName()
    always('127.0.0.1')
    await set()
    await say('before')
    await open.first(1)

    always('127.0.0.2')
    await say('after')
    await eventually(deliveries).toMatchObject([{ attempts: 2, state: 'failed' }, { state: 'delivered' }])
    const [delivery] = await deliveries()
    expect(delivery).toMatchObject({
      lastErrorCode: 'private_host',
      lastError: expect.stringMatching(/private network.*WEBHOOK_ALLOW_CIDR/),
    })
    expect(open.received).toHaveLength(1)
    expect(inner.received).toEqual([])
  })

  test.each([
    ['one of its addresses is private', ['127.0.0.1', '127.0.0.2']],
    ['one of them is, in IPv6', ['127.0.0.1', 'fd00:0:0:0:0:0:0:1']],
    ['it is a mapped private one', ['0:0:0:0:0:ffff:7f00:2']],
    ['it is a translated private one', ['64:ff9b:0:0:0:0:7f00:2']],
    ['it is the metadata service', ['169.254.169.254']],
  ])('is refused, at PUT and when sending, when %s', async (_why, addresses) => {
    const { open, inner, set, say, deliveries } = await webhookAtHostName()
    always(...addresses)
    const refused = await set()
    expect(refused.status).toBe(400)
    expect(refused.body.message).toMatch(/^url: must be a public address/)

    always('127.0.0.1')
    expect(await set()).toMatchObject({ status: 201 })
    always(...addresses)
    await say('hello')
    await eventually(deliveries).toMatchObject([{ attempts: 2, lastStatus: null }])
    expect((await deliveries())[0]?.lastError).toMatch(/private network/)
    expect([...open.received, ...inner.received]).toEqual([])
  })

  test('reaches an allowed IPv4-mapped address', async () => {
    const { open, set, say } = await webhookAtHostName()
    always('0:0:0:0:0:ffff:7f00:1')
    expect(await set()).toMatchObject({ status: 201 })
    await say('hello')
    expect((await open.first(1)).map(textOf)).toEqual(['hello'])
  })

  test('retries a name that does not resolve yet', async () => {
    const { open, set, say, deliveries } = await webhookAtHostName()
    always()
    expect(await set()).toMatchObject({ status: 201 })
    const answers: string[][] = [[], []]
    names.answer = () => answers.shift() ?? ['127.0.0.1']
    await say('hello')
    expect((await open.first(1)).map(textOf)).toEqual(['hello'])
    await eventually(deliveries).toMatchObject([{ attempts: 2, state: 'delivered' }])
  })

  test('does not follow a redirect', async () => {
    const { open, inner, set, say, deliveries } = await webhookAtHostName()
    always('127.0.0.1')
    await set()
    const location = `https://127.0.0.2:${inner.port}/`
    open.replies = [302, 307, 308].map((status) => (response) => response.writeHead(status, { location }).end())
    await say('hello')
    await eventually(deliveries).toMatchObject([{ attempts: 2, state: 'failed', lastStatus: 307 }])
    expect((await deliveries())[0]?.lastError).toMatch(/redirects are not followed/)
    expect(inner.received).toEqual([])
  })
})

test('a key that is re-issued during the DNS lookup can no longer set the webhook', async () => {
  const { owner, bot, set } = await webhookAtHostName()
  let reissued: Promise<unknown> | undefined
  names.answer = async () => {
    await (reissued ??= owner.put(`/applications/${bot.application.id}/key`, { scopes: ['events'] }))
    return ['127.0.0.1']
  }
  expect(await set()).toMatchObject({ status: 401 })
  expect(await owner.get(`/applications/${bot.application.id}/webhook`)).toMatchObject({ body: { webhook: null } })
})

test('a local name is accepted only if it resolves to a network that the operator allowed', async () => {
  const { set } = await webhookAtHostName()
  always('127.0.0.1')
  expect(await set('https://bot.internal/')).toMatchObject({ status: 201 })
  always('127.0.0.2')
  expect(await set('https://bot.internal/')).toMatchObject({ status: 400 })
  always()
  expect(await set('https://bot.internal/')).toMatchObject({ status: 400 })
  expect(await set('https://localhost/')).toMatchObject({ status: 400 })
})
