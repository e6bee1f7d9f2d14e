import { randomUUID } from 'node:crypto'
import { LIMITS } from '@portico/contract'
import { expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { expectOk, portal } from '../../test/channel-fixture.ts'
import { trimDeliveries } from './trim-deliveries.ts'
import { sealer } from '../secrets/secret-box.ts'
import { newWebhookSecret } from './signing.ts'

const { server } = await portal({
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: Array.from({ length: 20 }, () => '0.1').join(','),
  WEBHOOK_OFF_STREAK: '3',
})
const { pool } = server.services.database

test('a replay sends at most ten deliveries per second, even after the worker was delayed', async () => {
  const { owner, bot, application, receiver, say, webhook, resume } = await webhookFixture()
  receiver.replies = [410]
  await say('gone')
  await eventually(webhook).toMatchObject({ active: false })
  for (let number = 1; number < 25; number += 1) await say(`missed ${number}`)
  receiver.replies = [204]
  await resume()
  expect(expectOk(await owner.post(`${application}/webhook/replay`))).toEqual({ events: 25 })
  // As if nothing had been sent for a minute: all of them are due.
  await pool.query(
    `UPDATE deliveries SET next_attempt_at = now() - interval '1 minute' WHERE application_id = $1 AND state = 'pending'`,
    [bot.application.id],
  )
  await eventually(webhook).toMatchObject({ held: 0, pending: 0 })
  const { rows } = await pool.query<{ at: string }>(
    `SELECT max(a.at) AS at FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE d.application_id = $1 GROUP BY d.id ORDER BY 1`,
    [bot.application.id],
  )
  const times = rows.map(({ at }) => Date.parse(at))
  expect(times).toHaveLength(25)
  // The clock has a resolution of one millisecond.
  for (const [index, time] of times.slice(10).entries()) expect(time - (times[index] ?? NaN)).toBeGreaterThan(980)
})

test('more webhooks than one batch of leases all receive an event', async () => {
  const { bot, channel, receiver, say, owner } = await webhookFixture()
  const secret = sealer(server.services.secret, 'webhook secrets').seal(newWebhookSecret())
  const made = Array.from({ length: 450 }, () => ({ id: randomUUID(), botId: randomUUID() }))
  const [ids, botIds] = [made.map(({ id }) => id), made.map(({ botId }) => botId)]
  await pool.query(
    `WITH bots AS (
      INSERT INTO accounts (id, kind, name, avatar) SELECT id, 'bot', 'Crane', id || '.svg' FROM unnest($2::uuid[]) id
      RETURNING id
    ), made AS (
      INSERT INTO applications (id, name, owner_id, bot_id)
      SELECT id, 'Crane', $3, bot_id FROM unnest($1::uuid[], $2::uuid[]) AS made (id, bot_id) RETURNING id, bot_id
    ), hooks AS (
      INSERT INTO webhooks (application_id, url, secret, cursor_seq)
      SELECT id, $5, $6, (SELECT coalesce(max(seq), 0) FROM events) FROM made
    ), joined AS (
      INSERT INTO members (channel_id, account_id, role_id, is_bot)
      SELECT $4, made.bot_id, r.id, true FROM made
      JOIN roles r ON r.channel_id = $4 AND r.system_name = 'CHANNEL_BOT'
    )
    INSERT INTO installations (bot_id, channel_id, from_seq)
    SELECT bot_id, $4, (SELECT coalesce(max(seq), 0) FROM events) FROM made`,
    [ids, botIds, owner.id, channel.id, receiver.url, secret],
  )
  await say('to all of you')
  await receiver.until(() => receiver.texts.length === 451)
  expect(new Set(receiver.texts)).toEqual(new Set(['to all of you']))
  await eventually(async () => {
    const { rows } = await pool.query<{ open: number }>(
      `SELECT count(*)::int AS open FROM deliveries WHERE application_id = ANY ($1) AND state <> 'delivered'`,
      [[...ids, bot.application.id]],
    )
    return rows[0]?.open
  }).toBe(0)
  // On a busy machine a response may be late: the retry is another attempt with the same id.
  const { rows } = await pool.query<{ id: string; attempts: number }>(
    `SELECT d.id, count(a.*)::int AS attempts FROM deliveries d JOIN delivery_attempts a ON a.delivery_id = d.id
    WHERE d.id = ANY ($1) GROUP BY d.id`,
    [receiver.received.map(({ id }) => id)],
  )
  expect(rows).toHaveLength(451)
  for (const { id, attempts } of rows) {
    expect(receiver.received.filter((received) => received.id === id).length).toBeLessThanOrEqual(attempts)
  }
})

test('the delivery log keeps the newest thousand for three days, and all pending deliveries', async () => {
  const { bot, deliveries } = await webhookFixture()
  const id = bot.application.id
  const insert = (count: number, state: string, age: string): Promise<unknown> =>
    pool.query(
      `INSERT INTO deliveries (id, application_id, event, body, state, next_attempt_at, created_at)
      SELECT gen_random_uuid(), $1, 'ping', '{}', $2, CASE WHEN $2 = 'pending' THEN now() + interval '1 hour' END,
        now() - $3::interval - make_interval(secs => n) FROM generate_series(1, $4::int) n`,
      [id, state, age, count],
    )
  const countsByState = async (): Promise<Record<string, number>> => {
    const { rows } = await pool.query<{ state: string; count: number }>(
      `SELECT state, count(*)::int FROM deliveries WHERE application_id = $1 GROUP BY state`,
      [id],
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
  }
  await insert(3, 'pending', '100 hours')
  await insert(4, 'held', '100 hours')
  await insert(5, 'held', '1 hour')
  await insert(6, 'failed', '100 hours')
  await trimDeliveries(pool)
  expect(await countsByState()).toEqual({ pending: 3, held: 5 })

  await insert(LIMITS.deliveriesKept + 50, 'delivered', '2 hours')
  await trimDeliveries(pool)
  // The five held ones are newer and count.
  expect(await countsByState()).toEqual({ pending: 3, held: 5, delivered: LIMITS.deliveriesKept - 5 })
  expect(await deliveries('?limit=1')).toMatchObject([{ state: 'held' }])
})

test('a short streak of failures does not turn the webhook off; an hour of failures does', async () => {
  const { bot, receiver, say, webhook } = await webhookFixture()
  await say('fine')
  await eventually(async () => (await webhook())?.lastSuccessAt).not.toBeNull()
  await pool.query(`UPDATE webhooks SET last_success_at = now() - interval '5 hours' WHERE application_id = $1`, [
    bot.application.id,
  ])
  receiver.replies = [500]
  await say('restarting')
  await eventually(async () => (await webhook())?.failedStreak).toBeGreaterThan(3)
  expect(await webhook()).toMatchObject({ active: true })
  await pool.query(`UPDATE webhooks SET failing_since = now() - interval '1 hour' WHERE application_id = $1`, [
    bot.application.id,
  ])
  await eventually(webhook).toMatchObject({ active: false, lastError: 'answered 500' })
})
