import { createPublicKey } from 'node:crypto'
import { jwtVerify } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { NameServer } from '../../test/name-server.ts'
import type { Person } from '../../test/person.ts'
import { PushService } from '../../test/push-service.ts'
import { openSecret } from '../secrets/secret.ts'
import { openPushKeys } from './push-keys.ts'

const names = await NameServer.start()
const { server } = await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', WEBHOOK_DNS: names.address })
const { pool } = server.services.database

/** A channel with a room, someone who writes there, and someone with a subscribed browser who reads. */
async function pushFixture() {
  const made = await channelFixture({ people: 2 })
  const [writer, reader] = made.people
  const service = await PushService.start()
  const browser = await service.browser().subscribe(reader)
  const { channelId } = made.room
  const say = async (
    text: string,
    { roomId = made.room.id, replyToId }: { roomId?: string; replyToId?: string } = {},
  ) => expectOk(await writer.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId, text, replyToId }))
  return { ...made, channelId, writer, reader, service, browser, say }
}

/** How many pushes wait for a person. */
async function waiting({ id }: Person): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM pushes JOIN push_subscriptions USING (session_id) WHERE account_id = $1',
    [id],
  )
  return rows[0]?.count ?? 0
}

async function subscriptions({ id }: Person): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM push_subscriptions WHERE account_id = $1',
    [id],
  )
  return rows[0]?.count ?? 0
}

/** Waits until everything that was sent so far has been planned. */
async function planned(): Promise<void> {
  const { rows } = await pool.query<{ seq: number }>(
    `SELECT max(seq) AS seq FROM events WHERE event = 'message.created'`,
  )
  const cursor = async () => (await pool.query<{ seq: number }>('SELECT seq FROM push_cursor')).rows[0]?.seq
  await until(async () => expect(await cursor()).toBeGreaterThanOrEqual(rows[0]?.seq ?? 0))
}

/** Lets the retries of a person be due now. */
async function makeDue({ id }: Person): Promise<void> {
  await pool.query(
    'UPDATE pushes SET next_attempt_at = now() FROM push_subscriptions s WHERE s.session_id = pushes.session_id AND account_id = $1',
    [id],
  )
}

/** Holds the pushes of a person back: they use a window. */
async function arrive(person: Person): Promise<void> {
  expectOk(await person.post('/activity'))
}

/** Lets the pushes of a person be decided now. */
async function leave(person: Person): Promise<void> {
  await pool.query('UPDATE sessions SET active_at = NULL WHERE account_id = $1', [person.id])
  await makeDue(person)
}

/** Polls until the expectation holds. These tests run at the same time, which `expect.poll` doesn't support. */
const until = (look: () => Promise<void>): Promise<void> => vi.waitFor(look, { timeout: 200_000, interval: 50 })

const mention = ({ id }: Person): string => `<@${id}>`

describe.concurrent('a push', () => {
  test('of a mention carries what the notification shows, encrypted and signed, in the person’s language', async () => {
    const { writer, reader, browser, room, channel, say } = await pushFixture()
    const { id } = await say(`**Look**, ${mention(reader)}`)
    await until(async () => expect(browser.received.length).toBe(1))
    const [push] = browser.received
    expect(push?.text).toEqual({
      title: `${writer.name} mentioned you · #${room.name} · ${channel.name}`,
      body: `Look, @${reader.name}`,
      lang: 'en',
      tag: id,
      path: `/c/${channel.id}/${room.id}/${id}`,
      silent: false,
      badge: 1,
    })
    expect(push?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '86400',
      urgency: 'high',
      topic: id.replaceAll('-', ''),
    })

    const { publicKey } = expectOk(await reader.get<{ publicKey: string }>('/push-subscription'))
    const [, token = '', key] = /^vapid t=(\S+), k=(\S+)$/.exec(push?.headers.authorization ?? '') ?? []
    expect(key).toBe(publicKey)
    const point = Buffer.from(publicKey, 'base64url')
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'))
    const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' })
    await jwtVerify(token, jwk, { audience: new URL(browser.endpoint).origin })

    expectOk(await reader.patch('/account', { locale: 'ru' }))
    await say(`И ещё раз, ${mention(reader)}`)
    await until(async () => expect(browser.received.length).toBe(2))
    expect(browser.received[1]?.text).toMatchObject({
      title: `${writer.name} упоминает вас · #${room.name} · ${channel.name}`,
      lang: 'ru',
      badge: 2,
    })
    await until(async () => expect(await waiting(reader)).toBe(0))
  })

  test('of a bot’s message marks the bot as one', async () => {
    const { reader, browser, room, channelId, newBot } = await pushFixture()
    const bot = await newBot()
    expectOk(await bot.post(`/rooms/${room.id}/messages`, { channelId, text: `Ready, ${mention(reader)}` }))
    await until(async () => expect(browser.received.length).toBe(1))
    expect(browser.received[0]?.text).toMatchObject({
      title: expect.stringMatching(`^${bot.name} \\(App\\) mentioned you · `),
    })
  })

  test('of a message that is written piece by piece is sent once, with what is there when it is sent', async () => {
    const { people, reader, browser, service, room, channelId, newBot } = await pushFixture()
    const [writer] = people
    const others = await service.browser().subscribe(writer)
    const bot = await newBot()
    const path = `/rooms/${room.id}/messages`
    // One of those who are mentioned uses a window all the time.
    await arrive(writer)
    const text = `${mention(reader)} ${mention(writer)} Build`
    const { id } = expectOk(await bot.post<{ id: string }>(`${path}/streams`, { channelId, text }))
    await until(async () => expect(browser.received.length).toBe(1))
    expect(browser.received[0]?.text).toMatchObject({ body: `@${reader.name} @${writer.name} Build`, tag: id })
    const piece = { channelId, position: text.length, text: ` is green ${mention(reader)}` }
    expectOk(await bot.post(`${path}/${id}/append`, piece))
    expectOk(await bot.post(`${path}/${id}/finish`, { channelId }))
    // What is planned after the end of the message comes after all that its end may have planned.
    expectOk(await bot.post(path, { channelId, text: mention(reader) }))
    await until(async () => expect(browser.received.length).toBe(2))
    expect(browser.received[1]?.text).toMatchObject({ body: `@${reader.name}` })
    expect(others.received).toEqual([])
    await leave(writer)
    await until(async () => expect(others.received.length).toBe(1))
    const whole = `@${reader.name} @${writer.name} Build is green @${reader.name}`
    expect(others.received[0]?.text).toMatchObject({ body: whole, tag: id })
  })

  test('follows the level of the room: replies, and every message where the person wants that', async () => {
    const { reader, browser, room, channelId, say } = await pushFixture()
    const own = expectOk(
      await reader.post<{ id: string }>(`/rooms/${room.id}/messages`, { channelId, text: 'a question' }),
    )
    await say('something else')
    await planned()
    expect(await waiting(reader)).toBe(0)
    await say('an answer', { replyToId: own.id })
    await until(async () => expect(browser.received.map(({ text }) => text.body)).toEqual(['an answer']))
    await until(async () => expect(await waiting(reader)).toBe(0))

    expectOk(await reader.patch(`/rooms/${room.id}/notifications`, { level: 'all' }))
    await arrive(reader)
    await say('one of several')
    await say('the latest of several')
    await planned()
    await leave(reader)
    await until(async () =>
      expect(browser.received.map(({ text }) => text.body)).toEqual(['an answer', 'the latest of several']),
    )
    expect(browser.received[1]?.headers).toMatchObject({ urgency: 'normal' })
  })

  test('is not sent when the message was read, deleted or is no longer for the person', async () => {
    const { owner, reader, browser, room, channelId, at, say, newRoom } = await pushFixture()
    await arrive(reader)
    await say(`read ${mention(reader)}`)
    await planned()
    expect(await waiting(reader)).toBe(1)
    expectOk(await reader.put(`/rooms/${room.id}/read`, {}))
    await leave(reader)
    await until(async () => expect(await waiting(reader)).toBe(0))

    await arrive(reader)
    const gone = await say(`deleted ${mention(reader)}`)
    await planned()
    expectOk(await owner.delete(`/rooms/${room.id}/messages/${gone.id}`, { channelId }))
    await leave(reader)
    await until(async () => expect(await waiting(reader)).toBe(0))

    const hidden = await newRoom('text', { private: true })
    expectOk(await owner.post(`/rooms/${hidden.id}/messages`, { channelId, text: `not for ${mention(reader)}` }))
    await planned()
    expect(await waiting(reader)).toBe(0)

    await arrive(reader)
    await say(`kicked ${mention(reader)}`)
    await planned()
    expectOk(await owner.delete(`${at}/members/${reader.id}`, {}))
    await leave(reader)
    await until(async () => expect(await waiting(reader)).toBe(0))
    expect(browser.received).toEqual([])
  })

  test('waits while the person uses a window, and is sent once they have left without reading', async () => {
    const { reader, browser, say } = await pushFixture()
    expect(expectOk(await reader.post('/activity'))).toEqual({ repeat: true })
    await say(`hello ${mention(reader)}`)
    await planned()
    await makeDue(reader)
    // Looked at and postponed.
    const pauses = async () =>
      (
        await pool.query<{ pause: number }>(
          `SELECT extract(epoch FROM next_attempt_at - now())::float8 AS pause FROM pushes
           JOIN push_subscriptions USING (session_id) WHERE account_id = $1 AND attempts = 0`,
          [reader.id],
        )
      ).rows[0]?.pause ?? 0
    await until(async () => expect(await pauses()).toBeGreaterThan(10))
    expect(browser.received).toEqual([])

    await pool.query(`UPDATE sessions SET active_at = now() - interval '2 minutes' WHERE account_id = $1`, [reader.id])
    await makeDue(reader)
    await until(async () => expect(browser.received.length).toBe(1))
  })

  test('is attempted again when the push service was away', async () => {
    const { reader, browser, say } = await pushFixture()
    browser.answers = [503, 201]
    await say(`hello ${mention(reader)}`)
    await until(async () => expect(browser.received.map(({ text }) => text.body)).toEqual([`hello @${reader.name}`]))
    await until(async () => expect(await waiting(reader)).toBe(0))
    expect(await subscriptions(reader)).toBe(1)
  })

  test('that was refused is given up', async () => {
    const { reader, browser, say } = await pushFixture()
    browser.answers = [413, 201]
    await say(`hello ${mention(reader)}`)
    await until(async () => expect(browser.answers).toEqual([201]))
    await until(async () => expect(await waiting(reader)).toBe(0))
    expect(await subscriptions(reader)).toBe(1)
    expect(await server.services.metrics.text()).toMatch(/^portico_pushes_total\{outcome="failed"\} [1-9]/m)
  })

  test.each([404, 410])('that answers %i ends the subscription', async (status) => {
    const { reader, browser, say } = await pushFixture()
    browser.answers = [status]
    await say(`hello ${mention(reader)}`)
    await until(async () => expect(await subscriptions(reader)).toBe(0))
    expect(expectOk(await reader.get('/push-subscription'))).toMatchObject({ subscribed: false })
    expect(await server.services.metrics.text()).toMatch(/^portico_pushes_total\{outcome="gone"\} [1-9]/m)
  })

  test('never reaches a private address behind a public name', async () => {
    const { reader, service, say } = await pushFixture()
    const browser = await service.browser('hooks.example.com').subscribe(reader)
    names.answer = () => ['10.0.0.1']
    await say(`hello ${mention(reader)}`)
    const attempts = async () =>
      (
        await pool.query<{ attempts: number }>(
          'SELECT attempts FROM pushes JOIN push_subscriptions USING (session_id) WHERE account_id = $1',
          [reader.id],
        )
      ).rows[0]?.attempts
    await until(async () => expect(await attempts()).toBe(1))
    expect(browser.received).toEqual([])
    names.answer = () => ['127.0.0.1']
    await makeDue(reader)
    await until(async () => expect(browser.received.length).toBe(1))
  })
})

describe('a push subscription', () => {
  test('is refused at a private address or with keys that are none', async () => {
    const { reader, service } = await pushFixture()
    const { subscription } = service.browser()
    for (const endpoint of [
      'https://10.1.2.3/push',
      'https://[::1]/push',
      'http://push.example.com/1',
      'https://u:p@push.example.com/1',
    ]) {
      expectRefusal(await reader.put('/push-subscription', { ...subscription, endpoint }), 'badRequest', {
        field: 'endpoint',
      })
    }
    const p256dh = Buffer.alloc(65, 4).toString('base64url')
    expectRefusal(await reader.put('/push-subscription', { ...subscription, p256dh }), 'badRequest', {
      field: 'p256dh',
    })
  })

  test('belongs to the session that subscribed the browser last, and ends on request', async () => {
    const { writer, reader, browser } = await pushFixture()
    await browser.subscribe(writer)
    expect([await subscriptions(reader), await subscriptions(writer)]).toEqual([0, 1])
    expectOk(await writer.delete('/push-subscription'))
    expectOk(await writer.delete('/push-subscription'))
    expect(await subscriptions(writer)).toBe(0)
    expect(expectOk(await writer.post('/activity'))).toEqual({ repeat: false })
  })

  test('ends with its session, however that ends', async () => {
    const { reader, service } = await pushFixture()
    const elsewhere = await reader.signInElsewhere()
    await service.browser().subscribe(elsewhere)
    expect(await subscriptions(reader)).toBe(2)
    expectOk(await reader.delete('/sessions'))
    expect(await subscriptions(reader)).toBe(1)
    expectOk(await reader.delete('/sessions/current'))
    expect(await subscriptions(reader)).toBe(0)

    const again = await reader.signInElsewhere()
    await service.browser().subscribe(again)
    expectOk(await again.post('/account/deletion', { password: reader.password }))
    expect(await subscriptions(reader)).toBe(0)
  })

  test('replaces the oldest one beyond twenty', async () => {
    const { reader, browser, service } = await pushFixture()
    await pool.query(
      `WITH made AS (
        INSERT INTO sessions (id, account_id, token_hash, device, address)
        SELECT gen_random_uuid(), $1::uuid, decode(md5(n::text || $1::uuid), 'hex'), '', '' FROM generate_series(1, 20) n RETURNING id
      )
      INSERT INTO push_subscriptions (session_id, account_id, endpoint_hash, sealed, locale, created_at)
      SELECT id, $1::uuid, decode(md5(id::text), 'hex'), '', 'en', now() + interval '1 hour' FROM made`,
      [reader.id],
    )
    expect(await subscriptions(reader)).toBe(21)
    await service.browser().subscribe(await reader.signInElsewhere())
    expect(await subscriptions(reader)).toBe(20)
    expect(expectOk(await reader.get('/push-subscription'))).toMatchObject({ subscribed: false })
    await browser.subscribe(reader)
    expect(expectOk(await reader.get('/push-subscription'))).toMatchObject({ subscribed: true })
  })
})

describe('the push keys', () => {
  test('are the same for every process, and are made again when the secret that sealed them is lost', async () => {
    const { services } = server
    const opened = await openPushKeys(services)
    expect(opened.publicKey).toBe(services.pushKeys.publicKey)

    const { reader } = await pushFixture()
    const secret = await openSecret({ ...services.config, PORTICO_SECRET: 'another secret of at least 32 characters' })
    const made = await openPushKeys({ ...services, secret })
    expect(made.publicKey).not.toBe(opened.publicKey)
    expect(await subscriptions(reader)).toBe(0)
    expect((await openPushKeys({ ...services, secret })).publicKey).toBe(made.publicKey)
  })
})
