import type { Delivery } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { WebhookReceiver, heldReply, textOf } from '../../test/webhook-receiver.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

await portal({
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: Array.from({ length: 20 }, () => '0.1').join(','),
  WEBHOOK_OFF_STREAK: '3',
  WEBHOOK_OFF_SECONDS: '1',
})

describe('the owner of an application', () => {
  test('sets, reads and removes the webhook like the bot', async () => {
    const { owner, bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const at = `/applications/${bot.application.id}/webhook`
    const { url } = await WebhookReceiver.start()
    expect(await owner.get(at)).toMatchObject({ status: 200, body: { webhook: null } })
    expect(await owner.put(at, { url: 'https://10.0.0.1/' })).toMatchObject({ status: 400, body: { field: 'url' } })
    for (const action of ['test', 'replay']) {
      expectRefusal(await owner.post(`${at}/${action}`), 'unprocessable', { reason: 'no_webhook' })
    }
    expect(await owner.put(at, { url })).toMatchObject({ status: 201, body: { secret: expect.any(String) } })
    expect(await bot.get('/webhook')).toMatchObject({ status: 200, body: { url } })
    expect(await owner.get(at)).toMatchObject({
      body: {
        webhook: {
          url,
          active: true,
          paused: false,
          failedStreak: 0,
          lastSuccessAt: null,
          lastError: null,
          turnedOffAt: null,
          pending: 0,
          held: 0,
        },
      },
    })
    expect(await owner.delete(at)).toMatchObject({ status: 204 })
    expectRefusal(await bot.get('/webhook'), 'notFound')
  })

  test('is the only one with access', async () => {
    const { bot, receiver, say, deliveries, application, newPerson, owner } = await webhookFixture()
    await say('hello')
    await receiver.first(1)
    const [delivery] = await deliveries()
    const stranger = await newPerson()
    const foreign = [
      stranger.get(`${application}/webhook`),
      stranger.put(`${application}/webhook`, { url: receiver.url }),
      stranger.delete(`${application}/webhook`),
      stranger.post(`${application}/webhook/test`),
      stranger.post(`${application}/webhook/replay`),
      stranger.get(`${application}/deliveries`),
      stranger.get(`${application}/deliveries/${delivery?.id}`),
      stranger.post(`${application}/deliveries/${delivery?.id}/redeliver`),
    ]
    for (const answer of await Promise.all(foreign)) {
      expectRefusal(answer, 'unprocessable', { reason: 'no_such_application' })
    }
    expect(await bot.get('/webhook')).toMatchObject({ status: 200 })
    // One application doesn't show the deliveries of another.
    const other = await webhookFixture()
    const elsewhere = `${other.application}/deliveries/${delivery?.id}`
    expectRefusal(await other.owner.get(elsewhere), 'unprocessable', { reason: 'no_such_delivery' })
    expectRefusal(await other.owner.post(`${elsewhere}/redeliver`), 'unprocessable', { reason: 'no_such_delivery' })
    expect(await owner.get(`${other.application}/deliveries`)).toMatchObject({ status: 422 })
  })

  test('sends a signed `ping` event', async () => {
    const { owner, application, receiver, deliveries } = await webhookFixture()
    const { deliveryId } = expectOk(await owner.post<{ deliveryId: string }>(`${application}/webhook/test`))
    const [received] = await receiver.first(1)
    expect(received).toMatchObject({ id: deliveryId, headers: { 'x-service-event': 'ping' }, event: { event: 'ping' } })
    await eventually(deliveries).toMatchObject([{ id: deliveryId, event: 'ping', state: 'delivered' }])
  })

  test('lists deliveries newest first, page by page and by state', async () => {
    const { owner, application, receiver, say, deliveries } = await webhookFixture()
    for (let number = 1; number <= 5; number += 1) await say(`${number}`)
    await receiver.first(5)
    await eventually(() => deliveries('?state=delivered')).toHaveLength(5)
    const ids = receiver.received.map(({ id }) => id).toReversed()
    type Page = { deliveries: Delivery[]; hasMore: boolean }
    const page = async (query: string) => expectOk(await owner.get<Page>(`${application}/deliveries${query}`))
    const first = await page('?limit=2')
    expect(first).toMatchObject({ deliveries: [{ id: ids[0] }, { id: ids[1] }], hasMore: true })
    expect(await page(`?limit=2&beforeId=${ids[1]}`)).toMatchObject({
      deliveries: [{ id: ids[2] }, { id: ids[3] }],
      hasMore: true,
    })
    expect(await page(`?limit=2&beforeId=${ids[3]}`)).toMatchObject({ deliveries: [{ id: ids[4] }], hasMore: false })
    expect(await page('?state=pending')).toEqual({ deliveries: [], hasMore: false })
    expect(await owner.get(`${application}/deliveries?limit=0`)).toMatchObject({ status: 400 })
    expect(await owner.get(`${application}/deliveries?state=lost`)).toMatchObject({ status: 400 })
  })

  test('redelivers a delivery, with a full set of attempts', async () => {
    const { owner, application, receiver, say, deliveries, details } = await webhookFixture()
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }])
    const [{ id } = { id: '' }] = await deliveries()
    receiver.replies = [500, 204]
    expect(await owner.post(`${application}/deliveries/${id}/redeliver`)).toMatchObject({
      status: 200,
      body: { id, state: 'pending', attempts: 1 },
    })
    await receiver.first(3)
    expect(new Set(receiver.received.map((received) => `${received.id} ${received.text}`)).size).toBe(1)
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 3 }])
    expect((await details(id)).attempts.map(({ status }) => status)).toEqual([204, 500, 204])
  })
})

describe('a webhook that was turned off', () => {
  test('holds events; set again, it continues with new ones, and replays held ones on request', async () => {
    const { owner, bot, room, application, receiver, say, newRoom, webhook, resume } = await webhookFixture()
    const second = await newRoom('text')
    receiver.replies = [500]
    await say('early')
    // Consecutive failures for at least a second: neither alone is enough.
    await eventually(webhook).toMatchObject({ active: false })
    const off = await webhook()
    expect(off?.failedStreak).toBeGreaterThanOrEqual(3)
    expect(off).toMatchObject({ pending: 0, lastError: 'answered 500' })
    const before = receiver.received.length

    const missed = Array.from({ length: 24 }, (_, index) => `missed ${index}`)
    for (const [index, text] of missed.entries()) await say(text, index % 2 ? second.id : undefined)
    expectOk(await bot.post(`/rooms/${second.id}/messages`, { channelId: room.channelId, text: 'its own' }))
    await eventually(webhook).toMatchObject({ held: 25, pending: 0 })
    expect(receiver.received).toHaveLength(before)

    receiver.replies = [204]
    await resume()
    await say('new')
    await receiver.until(() => receiver.texts.includes('new'))
    expect(receiver.texts).toEqual(['early', 'new'])
    expect(await webhook()).toMatchObject({ active: true, held: 25, pending: expect.any(Number) })

    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 25 })
    await say('newer')
    await receiver.until(() => receiver.texts.length === 27)
    const texts = receiver.texts.filter((text) => text.startsWith('missed'))
    for (const odd of [0, 1]) {
      const ofRoom = (text: string) => Number(text.split(' ')[1]) % 2 === odd
      expect(texts.filter(ofRoom)).toEqual(missed.filter(ofRoom))
    }
    const times = receiver.received.slice(before).filter((received) => !textOf(received).startsWith('new'))
    // Twenty-four pauses of a tenth of a second each, with some jitter.
    expect(Number(times.at(-1)?.at) - Number(times[0]?.at)).toBeGreaterThan(1800)
    await eventually(webhook).toMatchObject({ held: 0, pending: 0 })
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 0 })
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(27)
  })

  test('holds the events of a second off period, although nothing happened in between', async () => {
    const { owner, application, receiver, say, webhook, resume } = await webhookFixture()
    receiver.replies = [410]
    await say('first')
    await eventually(webhook).toMatchObject({ active: false })
    await resume()
    expectOk(await owner.post(`${application}/webhook/test`))
    await eventually(webhook).toMatchObject({ active: false })
    await say('second')
    await eventually(webhook).toMatchObject({ held: 3 })
    receiver.replies = [204]
    await resume()
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 3 })
    await receiver.until(() => receiver.texts.length === 3 && receiver.texts.includes('second'))
  })

  test('is not turned off by a late failure of a previous address', async () => {
    const { bot, receiver, say, webhook, deliveries } = await webhookFixture()
    const other = await WebhookReceiver.start()
    const late = Promise.withResolvers<void>()
    receiver.replies = [(response) => late.promise.then(() => response.writeHead(410).end())]
    await say('hello')
    await receiver.first(1)
    expectOk(await bot.put('/webhook', { url: other.url }))
    late.resolve()
    expect((await other.first(1)).map(({ id }) => id)).toEqual([receiver.received[0]?.id])
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 2 }])
    expect(await webhook()).toMatchObject({ active: true, failedStreak: 0 })
  })

  test('is not turned on by a late success', async () => {
    const { receiver, say, newRoom, webhook, deliveries } = await webhookFixture()
    const second = await newRoom('text')
    const late = Promise.withResolvers<void>()
    receiver.replies = [(response) => late.promise.then(() => response.writeHead(500).end()), 410]
    await say('slow')
    await receiver.first(1)
    await say('gone', second.id)
    await eventually(webhook).toMatchObject({ active: false, held: 2 })
    late.resolve()
    await eventually(deliveries).toMatchObject([
      { state: 'held', attempts: 1, nextAttemptAt: null },
      { state: 'held', attempts: 1, nextAttemptAt: null },
    ])
    expect(await webhook()).toMatchObject({ active: false, pending: 0 })
  })
})

describe('an application that loses the scope `events`', () => {
  test('receives nothing until it has the scope again, and then everything in between, in order and throttled', async () => {
    const { owner, bot, room, application, receiver, say, newRoom, webhook, deliveries } = await webhookFixture()
    const second = await newRoom('text')
    // One is under way and one waits in its room when the scope is lost.
    const { reply, open } = heldReply((response) => response.writeHead(500).end())
    receiver.replies = [reply, 204]
    await say('under way')
    await receiver.first(1)
    await say('waiting')
    await eventually(webhook).toMatchObject({ pending: 2 })
    expectOk(await owner.put(`${application}/key`, { scopes: ['messages:write'] }))
    open()
    await eventually(() => deliveries('?state=held')).toMatchObject([{ attempts: 0 }, { lastStatus: 500 }])
    expect(await webhook()).toMatchObject({ active: false, paused: true, lastErrorCode: null, lastError: null })
    expect(expectOk(await owner.get(application))).toMatchObject({ webhook: { active: false, paused: true } })
    const missed = Array.from({ length: 20 }, (_, index) => `missed ${index}`)
    for (const [index, text] of missed.entries()) await say(text, index % 2 ? second.id : undefined)
    await eventually(webhook).toMatchObject({ held: 22, pending: 0 })
    expectRefusal(await owner.post(`${application}/webhook/replay`), 'unprocessable', { reason: 'webhook_paused' })
    // The owner may change the address meanwhile; nothing is sent there either, and nothing is forgotten.
    const other = await WebhookReceiver.start()
    expect(expectOk(await owner.put(`${application}/webhook`, { url: other.url }))).toMatchObject({ active: false })
    expect(await webhook()).toMatchObject({ held: 22, pending: 0 })
    expect([receiver.received.length, other.received.length]).toEqual([1, 0])

    const { key } = expectOk(await owner.put<{ key: string }>(`${application}/key`, { scopes: ['events'] }))
    await say('new')
    await say('new in the second room', second.id)
    await other.until(() => other.texts.length === 24)
    const ofRoom = (roomId: string) =>
      other.received.filter(({ event }) => (event.data as { roomId: string }).roomId === roomId).map(textOf)
    const even = missed.filter((_, index) => index % 2 === 0)
    const odd = missed.filter((_, index) => index % 2 === 1)
    expect(ofRoom(room.id)).toEqual(['under way', 'waiting', ...even, 'new'])
    expect(ofRoom(second.id)).toEqual([...odd, 'new in the second room'])
    const held = other.received.filter((received) => !textOf(received).startsWith('new'))
    // Twenty-one pauses of a tenth of a second each, with some jitter.
    expect(Number(held.at(-1)?.at) - Number(held[0]?.at)).toBeGreaterThan(1600)
    await eventually(webhook).toMatchObject({ active: true, paused: false, turnedOffAt: null, held: 0, pending: 0 })
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 0 })
    expect(new Set(other.received.map(({ id }) => id)).size).toBe(24)

    // A key that revokes itself pauses as well, and a second pause begins where the first one ended.
    bot.key = key
    expect((await bot.delete('/key')).status).toBe(204)
    await say('without a key')
    expectOk(await owner.put(`${application}/key`, { scopes: ['events'] }))
    await other.until(() => other.texts.includes('without a key'))
    expect(other.received).toHaveLength(25)
  })

  test('still replays what failures held before only on request', async () => {
    const { owner, application, receiver, say, webhook, resume } = await webhookFixture()
    receiver.replies = [410]
    await say('failed')
    await eventually(webhook).toMatchObject({ active: false })
    await say('while off')
    receiver.replies = [204]
    await resume()
    for (const scopes of [['messages:read'], ['events']]) {
      expectOk(await owner.put(`${application}/key`, { scopes }))
      await say(`with ${scopes.join()}`)
    }
    await receiver.until(() => receiver.texts.includes('with events'))
    expect(receiver.texts).toEqual(['failed', 'with messages:read', 'with events'])
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 2 })
    await receiver.until(() => receiver.texts.includes('while off'))
  })

  test('does not get held events of rooms and channels that its bot can no longer read', async () => {
    const { owner, at, application, receiver, say, newRoom, webhook } = await webhookFixture()
    const closing = await newRoom('text')
    expectOk(await owner.put(`${application}/key`, { scopes: ['messages:read'] }))
    await say('private by then', closing.id)
    await say('open')
    expectOk(await owner.patch(`${at}/rooms/${closing.id}`, { private: true }))
    expectOk(await owner.put(`${application}/key`, { scopes: ['events'] }))
    await receiver.until(() => receiver.texts.includes('open'))
    await say('later')
    await receiver.until(() => receiver.texts.includes('later'))
    expect(receiver.texts).toEqual(['open', 'later'])
    await eventually(webhook).toMatchObject({ pending: 0, held: 0 })
  })

  test('does not reactivate a webhook that failures turned off', async () => {
    const { owner, application, receiver, say, webhook } = await webhookFixture()
    receiver.replies = [410]
    await say('gone')
    await eventually(webhook).toMatchObject({ active: false })
    for (const scopes of [['messages:read'], ['events']]) expectOk(await owner.put(`${application}/key`, { scopes }))
    expect(await webhook()).toMatchObject({ active: false, paused: false, failedStreak: 1 })
  })
})
