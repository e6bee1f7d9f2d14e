import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { eventually } from '../../test/eventually.ts'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { heldReply, WebhookReceiver, textOf, type Reply } from '../../test/webhook-receiver.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'

const { server } = await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_RETRY_PAUSES: '0.2,0.2,0.2' })

/** The next attempt is far enough away that nothing happens during the test. */
const inAnHour: Reply = (response) => response.writeHead(503, { 'retry-after': '3600' }).end()

/** Whether the statement that records a failure waits for a lock. */
const WAITS = `
  SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND query LIKE '%INTO delivery_attempts%' AND cardinality(pg_blocking_pids(pid)) > 0`

describe('a failed attempt', () => {
  test('is retried with the same id and bytes, and every attempt is listed', async () => {
    const { receiver, say, webhook, deliveries, details } = await webhookFixture()
    receiver.replies = [
      'reset',
      (response) => response.writeHead(500).end('out of\0 order'),
      (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('thank you'),
    ]
    await say('hello')
    const received = await receiver.first(3)
    expect(new Set(received.map(({ id }) => id)).size).toBe(1)
    expect(new Set(received.map(({ text }) => text)).size).toBe(1)
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 3 }])

    const [delivery] = await deliveries()
    expect(delivery).toEqual({
      id: received[0]?.id,
      event: 'message.created',
      state: 'delivered',
      attempts: 3,
      createdAt: expect.any(String),
      nextAttemptAt: null,
      lastStatus: 200,
      lastErrorCode: null,
      lastError: null,
      lastDurationMs: expect.any(Number),
    })
    const { body, attempts } = await details(delivery?.id ?? '')
    expect(body).toBe(received[0]?.text)
    expect(attempts).toMatchObject([
      { number: 1, status: null, error: expect.stringContaining('ECONNRESET'), answer: null },
      { number: 2, status: 500, error: 'answered 500', answer: 'out of\uFFFD order' },
      { number: 3, status: 200, error: null, answer: 'thank you' },
    ])
    const times = attempts.map(({ at }) => Date.parse(at))
    // With jitter, the shortest pause is 80 %.
    expect(Math.min(Number(times[1]) - Number(times[0]), Number(times[2]) - Number(times[1]))).toBeGreaterThan(150)
    expect(await webhook()).toMatchObject({
      failedStreak: 0,
      active: true,
      lastSuccessAt: expect.any(String),
      pending: 0,
    })
  })

  test('is shown with the URL and headers that were sent, whatever has changed since', async () => {
    const { owner, application, bot, receiver, say, deliveries, details, secret } = await webhookFixture()
    const elsewhere = await WebhookReceiver.start()
    const { url } = receiver
    receiver.replies = ['reset', 500, 204]
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 3 }])
    expectOk(await bot.put('/webhook', { url: elsewhere.url, rotateSecret: true }))
    const [{ id } = { id: '' }] = await deliveries()
    expectOk(await owner.post(`${application}/deliveries/${id}/redeliver`))
    await eventually(deliveries).toMatchObject([{ state: 'delivered', attempts: 4 }])
    const { attempts } = await details(id)
    expect(attempts.map(({ request }) => request?.url)).toEqual([url, url, url, elsewhere.url])
    const received = [...receiver.received, ...elsewhere.received]
    const signatures = attempts.map(({ request }, index) => {
      const headers = Object.entries(request?.headers ?? {})
      for (const [name, value] of headers) expect(received[index]?.headers[name.toLowerCase()], name).toBe(value)
      return headers.filter(([name]) => /signature/i.test(name)).map(([, value]) => value)
    })
    expect(signatures[0]).toHaveLength(2)
    expect(signatures[3]).not.toEqual(signatures[2])
    expect(JSON.stringify(attempts)).not.toContain(secret)
  })

  test('on a closed keep-alive connection is retried immediately, before the next of the room, and both are listed', async () => {
    const { receiver, say, webhook, deliveries, details } = await webhookFixture()
    const { reply: closed, open: close } = heldReply((response) => receiver.reset(response))
    receiver.replies = [204, closed, 204]
    await say('one')
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }])
    await say('two')
    await receiver.first(2)
    await say('three')
    close()
    await eventually(deliveries).toMatchObject([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 2, lastError: null },
      { state: 'delivered', attempts: 1 },
    ])
    expect(receiver.received.map(textOf)).toEqual(['one', 'two', 'two', 'three'])
    const { attempts } = await details(receiver.received[1]?.id ?? '')
    expect(attempts).toMatchObject([
      { number: 1, status: null, error: expect.stringMatching(/^the kept connection was closed: .*ECONNRESET/) },
      { number: 2, status: 204, error: null },
    ])
    expect(await webhook()).toMatchObject({ failedStreak: 0, lastError: null })
  })

  test('on a closed keep-alive connection uses up no retry', async () => {
    const { receiver, say, webhook, deliveries } = await webhookFixture()
    receiver.replies = [204, 'reset', 500]
    await say('one')
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }])
    await say('two')
    // The interrupted one, plus the regular number of attempts.
    await eventually(deliveries).toMatchObject([{ state: 'failed', attempts: 5 }, {}])
    expect(await webhook()).toMatchObject({ failedStreak: 4, lastError: 'answered 500' })
  })

  test('stays in the streak when the same address is set again, but not with a new address', async () => {
    const { bot, receiver, say, webhook } = await webhookFixture()
    receiver.replies = [500, inAnHour]
    await say('hello')
    await eventually(webhook).toMatchObject({ failedStreak: 2, lastError: 'answered 503' })
    for (const wanted of [{ url: receiver.url }, { url: receiver.url, rotateSecret: true }]) {
      expectOk(await bot.put('/webhook', wanted))
      expect(await webhook()).toMatchObject({ failedStreak: 2, lastError: 'answered 503' })
    }
    expectOk(await bot.put('/webhook', { url: `${receiver.url}?other` }))
    expect(await webhook()).toMatchObject({ failedStreak: 0, lastError: null })
  })

  test('counts in the streak until one succeeds', async () => {
    const { owner, application, bot, receiver, say } = await webhookFixture()
    receiver.replies = [404, inAnHour, 204]
    await say('hello')
    await eventually(() => bot.get('/webhook')).toMatchObject({ body: { failedStreak: 2, active: true } })
    expectOk(await owner.post(`${application}/webhook/test`))
    await eventually(() => bot.get('/webhook')).toMatchObject({ body: { failedStreak: 0, active: true } })
  })

  test('does not delay newer events, whose first attempts stay in order', async () => {
    const { receiver, say } = await webhookFixture()
    receiver.replies = [500, 204]
    for (const text of ['1', '2', '3', '4']) await say(text)
    await receiver.until(() => receiver.received.length === 5)
    expect(receiver.texts).toEqual(['1', '2', '3', '4'])
    const order = receiver.received.map(textOf)
    expect(order.lastIndexOf('1')).toBeGreaterThan(0)
  })

  test('turns the webhook off if it was the last one and nothing has succeeded since the first', async () => {
    const { owner, bot, application, receiver, say, webhook, deliveries, resume } = await webhookFixture()
    receiver.replies = [500]
    await say('hello')
    await eventually(deliveries).toMatchObject([{ state: 'failed', attempts: 4, nextAttemptAt: null }])
    const { administrator } = await portal()
    const log = await administrator.get<{ entries: AuditEntry[] }>(`/audit-log?targetId=${bot.application.id}`)
    expect(expectOk(log).entries[0]).toMatchObject({
      action: 'webhook.turned_off',
      actor: null,
      targetName: bot.application.name,
      details: { error: 'answered 500', failedStreak: 4 },
    })
    const off = { webhook: { active: false, paused: false, lastErrorCode: 'status', lastError: 'answered 500' } }
    expect(expectOk(await owner.get(application))).toMatchObject(off)
    expect(expectOk(await owner.get<{ applications: unknown[] }>('/applications')).applications).toMatchObject([off])
    expect(await webhook()).toMatchObject({
      active: false,
      failedStreak: 4,
      lastErrorCode: 'status',
      lastError: 'answered 500',
      turnedOffAt: expect.any(String),
    })
    expect(await resume()).toMatchObject({ active: true })
    expect(await webhook()).toMatchObject({ failedStreak: 0, lastError: null, turnedOffAt: null })
  })

  test('keeps the webhook on if others succeeded meanwhile', async () => {
    const { receiver, say, webhook, deliveries } = await webhookFixture()
    const refuses: Reply = (response, received) => response.writeHead(textOf(received) === 'bad' ? 500 : 204).end()
    receiver.replies = [refuses]
    await say('bad')
    await receiver.first(1)
    await say('good')
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }, { state: 'failed', attempts: 4 }])
    expect(await webhook()).toMatchObject({ active: true })
  })

  test.each([429, 503])('waits as long as the Retry-After of a %i says', async (status) => {
    const { receiver, say, deliveries } = await webhookFixture()
    receiver.replies = [(response) => response.writeHead(status, { 'retry-after': '2' }).end(), 204]
    await say('hello')
    const [first, second] = await receiver.first(2)
    expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(1900)
    await eventually(deliveries).toMatchObject([{ state: 'delivered' }])
  })

  test('waits at most an hour for Retry-After, and ignores it on other status codes', async () => {
    const { receiver, say, deliveries } = await webhookFixture()
    receiver.replies = [(response) => response.writeHead(503, { 'retry-after': '86400' }).end()]
    await say('hello')
    await eventually(async () => (await deliveries())[0]?.attempts).toBe(1)
    const [{ nextAttemptAt, createdAt } = { nextAttemptAt: null, createdAt: '' }] = await deliveries()
    const wait = (Date.parse(nextAttemptAt ?? '') - Date.parse(createdAt)) / 1000
    expect(wait).toBeGreaterThan(3590)
    expect(wait).toBeLessThan(3700)

    receiver.replies = [(response) => response.writeHead(500, { 'retry-after': '3600' }).end(), 204]
    await say('another')
    await receiver.first(3)
  })

  test('with 410 turns the webhook off immediately and holds the event', async () => {
    const { receiver, say, webhook, deliveries, application, owner, resume } = await webhookFixture()
    receiver.replies = [410, 204]
    await say('gone')
    await eventually(webhook).toMatchObject({ active: false, failedStreak: 1, held: 1, pending: 0 })
    expect(await deliveries()).toMatchObject([{ state: 'held', attempts: 1, lastStatus: 410 }])
    expectRefusal(await owner.post(`${application}/webhook/test`), 'unprocessable', { reason: 'webhook_off' })
    expectRefusal(await owner.post(`${application}/webhook/replay`), 'unprocessable', { reason: 'webhook_off' })
    await resume()
    expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 1 })
    const received = await receiver.first(2)
    expect(received.map(({ id }) => id)).toEqual([received[0]?.id, received[0]?.id])
  })

  test('that turns the webhook off holds the events that are being planned at that moment', async () => {
    const { receiver, say, webhook, deliveries, bot } = await webhookFixture()
    const reply = heldReply((response) => response.writeHead(410).end())
    receiver.replies = [reply.reply]
    await say('gone')
    await receiver.first(1)
    const planning = await server.services.database.pool.connect()
    try {
      await planning.query('BEGIN')
      await planning.query('SELECT FROM webhooks WHERE application_id = $1 FOR UPDATE', [bot.application.id])
      reply.open()
      await eventually(() => queryDatabaseOf(server, WAITS)).toHaveLength(1)
      await planning.query(
        `INSERT INTO deliveries (id, application_id, event, body, state, next_attempt_at)
        VALUES (gen_random_uuid(), $1, 'message.created', '{}', 'pending', now())`,
        [bot.application.id],
      )
      await planning.query('COMMIT')
    } finally {
      planning.release()
    }
    await eventually(webhook).toMatchObject({ active: false, held: 2, pending: 0 })
    expect(await deliveries()).toMatchObject([
      { state: 'held', attempts: 0 },
      { state: 'held', attempts: 1 },
    ])
  })
})
