import { verify } from '@octokit/webhooks-methods'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { eventually } from '../../test/eventually.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'
import { WebhookReceiver, textOf } from '../../test/webhook-receiver.ts'
import { Stream } from '../../test/stream.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

await portal({
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: '0.1,0.1',
  WEBHOOK_OFF_STREAK: '2',
  WEBHOOK_OFF_SECONDS: '0',
})

const SECRET = expect.stringMatching(/^whsec_\S{48}$/)

describe('the bot’s webhook routes', () => {
  test('create, read, change and remove a webhook', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const receiver = await WebhookReceiver.start()
    const { url } = receiver
    const signatureHeader = 'X-Service-Signature'
    expectRefusal(await bot.get('/webhook'), 'notFound')

    const made = await bot.put<{ secret: string }>('/webhook', { url })
    expect(made).toMatchObject({ status: 201 })
    expect(made.body).toEqual({ url, active: true, secret: SECRET, signatureHeader })

    const seen = await bot.get<{ createdAt: string }>('/webhook')
    expect(seen.status).toBe(200)
    expect(seen.body).toEqual({ url, active: true, failedStreak: 0, createdAt: expect.any(String) })
    expect(new Date(seen.body.createdAt).toISOString()).toBe(seen.body.createdAt)

    const moved = await bot.put('/webhook', { url: `${url}/2`, rotateSecret: false })
    expect(moved).toMatchObject({ status: 200 })
    expect(moved.body).toEqual({ url: `${url}/2`, active: true, signatureHeader })
    expect(await bot.get('/webhook')).toMatchObject({ body: { url: `${url}/2`, createdAt: seen.body.createdAt } })

    const rotated = await bot.put<{ secret: string }>('/webhook', { url, rotateSecret: true })
    expect(rotated).toMatchObject({ status: 200, body: { secret: SECRET } })
    expect(rotated.body.secret).not.toBe(made.body.secret)

    const removed = await bot.delete('/webhook')
    expect(removed).toMatchObject({ status: 204, body: undefined })
    expectRefusal(await bot.get('/webhook'), 'notFound')
    expect(await bot.delete('/webhook')).toMatchObject({ status: 204 })
    const again = await bot.put<{ secret: string }>('/webhook', { url })
    expect(again).toMatchObject({ status: 201, body: { secret: SECRET } })
    expect(again.body.secret).not.toBe(rotated.body.secret)
  })

  test('require the scope `events`', async () => {
    const { bots } = await channelFixture({ bots: 1, scopes: ['messages:read'] })
    const url = 'https://bot.example.com/'
    expectRefusal(await bots[0].get('/webhook'), 'forbidden', { requiredScope: 'events' })
    expectRefusal(await bots[0].put('/webhook', { url }), 'forbidden', { requiredScope: 'events' })
    expectRefusal(await bots[0].delete('/webhook'), 'forbidden', { requiredScope: 'events' })
  })

  test('answer one of many concurrent creations as new, with the secret that counts', async () => {
    const { owner, room, bots } = await channelFixture({ bots: 1 })
    const receiver = await WebhookReceiver.start()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => bots[0].put<{ secret?: string }>('/webhook', { url: receiver.url })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 201])
    const [secret, ...more] = answers.flatMap(({ body }) => body.secret ?? [])
    expect(more).toEqual([])
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'hello' }))
    const [received] = await receiver.first(1)
    const signature = String(received?.headers['x-service-signature'])
    expect(await verify(secret ?? '', received?.text ?? '', signature)).toBe(true)
  })

  test('turn it on again after failures turned it off', async () => {
    const { bot, receiver, say, resume } = await webhookFixture()
    receiver.replies = [500]
    await say('lost on nobody')
    await eventually(() => bot.get('/webhook')).toMatchObject({ body: { active: false, failedStreak: 2 } })
    receiver.replies = [204]
    await say('while it is off')
    expect(await resume()).toMatchObject({ active: true })
    expect(await bot.get('/webhook')).toMatchObject({ body: { active: true, failedStreak: 0 } })
    await say('on again')
    await receiver.until(() => receiver.texts.includes('on again'))
    expect(receiver.texts).toEqual(['lost on nobody', 'on again'])
  })

  test('remove it with all pending retries', async () => {
    const { bot, receiver, say, deliveries } = await webhookFixture()
    const broken = Promise.withResolvers<void>()
    receiver.replies = [(response) => broken.promise.then(() => response.destroy()), 204]
    await say('under way')
    await receiver.first(1)
    expectOk(await bot.delete('/webhook'))
    await say('too late')
    broken.resolve()
    await eventually(deliveries).toMatchObject([{ state: 'failed', attempts: 1, nextAttemptAt: null }])
    expectOk(await bot.put('/webhook', { url: receiver.url }))
    await say('again')
    expect((await receiver.first(2)).map(textOf)).toEqual(['under way', 'again'])
  })
})

describe('a webhook', () => {
  test('receives every kind of event, in the same bytes as the stream, with the documented headers', async () => {
    const { server, bot, owner, room, newBot, newRoom, receiver, secret } = await webhookFixture()
    const other = await newBot()
    const voice = await newRoom('voice')
    const stream = await Stream.of(server, bot, 'protobuf')
    const { channelId } = room
    const at = `/rooms/${room.id}/messages`

    // The bot's own actions are never delivered.
    const own = expectOk(await bot.post<{ id: string }>(at, { channelId, text: 'my own' }))
    expectOk(await bot.post(`${at}/${own.id}/reactions`, { channelId, emoji: '🙂' }))
    expectOk(await bot.post(`/rooms/${voice.id}/voice`, { channelId }))
    expectOk(await bot.delete(`/rooms/${voice.id}/voice`))

    const text = 'a **bold** 👩‍🚀 word\u2028"\\'
    const message = expectOk(await other.post<{ id: string }>(at, { channelId, text }))
    expectOk(await other.patch(`${at}/${message.id}`, { channelId, text: 'new' }))
    expectOk(await owner.post(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
    expectOk(await owner.delete(`${at}/${message.id}/reactions`, { channelId, emoji: '👍' }))
    expectOk(await other.delete(`${at}/${message.id}`, { channelId }))
    expectOk(await owner.post(`/rooms/${voice.id}/voice`, { channelId }))
    expectOk(await owner.delete(`/rooms/${voice.id}/voice`))

    const received = await receiver.first(7)
    await stream.first(7)
    expect(received.map(({ text: body }) => body).toSorted()).toEqual(
      stream.received.map((event) => event.text).toSorted(),
    )
    const inText = received.filter(({ event }) => !event.event.startsWith('voice.'))
    expect(inText.map(({ event }) => event.event)).toEqual([
      'message.created',
      'message.updated',
      'reaction.added',
      'reaction.removed',
      'message.deleted',
    ])
    expect(received.map(({ event }) => event.event)).toContain('voice.member_joined')
    expect(received.map(({ event }) => event.event)).toContain('voice.member_left')

    expect(new Set(received.map(({ id }) => id)).size).toBe(7)
    for (const { method, path, headers, event, text: body, bytes } of received) {
      expect(Object.keys(event)).toEqual(['event', 'timestamp', 'channelId', 'data'])
      expect([method, path]).toEqual(['POST', '/hook'])
      expect(headers).toEqual({
        host: new URL(receiver.url).host,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': String(bytes.length),
        'user-agent': expect.stringMatching(/^Portico-Webhook\//),
        'x-service-event': event.event,
        'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-service-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
        'webhook-id': headers['x-service-delivery'],
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,\S{44}$/),
      })
      expect(await verify(secret, body, String(headers['x-service-signature']))).toBe(true)
    }
  })

  test('receives nothing from private rooms that do not admit the bot, nor voice events of private rooms', async () => {
    const { bot, owner, room, at, newRoom, receiver, say } = await webhookFixture()
    const [closed, admitting, voice] = [
      await newRoom('text', { private: true }),
      await newRoom('text', { private: true }),
      await newRoom('voice', { private: true }),
    ]
    for (const { id } of [admitting, voice]) {
      expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [owner.id, bot.id] }))
    }
    await say('behind the door', closed.id)
    expectOk(await owner.post(`/rooms/${voice.id}/voice`, { channelId: room.channelId }))
    expectOk(await owner.delete(`/rooms/${voice.id}/voice`))
    await say('admitted', admitting.id)
    await say('in the open')
    await receiver.first(2)
    expect(receiver.texts.toSorted()).toEqual(['admitted', 'in the open'])
  })

  test('receives nothing after the bot is removed from the channel', async () => {
    const { bot, owner, at, install, receiver, say } = await webhookFixture()
    await say('here')
    await receiver.first(1)
    expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await say('without it')
    await install(bot)
    await say('back')
    expect((await receiver.first(2)).map(textOf)).toEqual(['here', 'back'])
  })

  test('receives nothing from before it was set', async () => {
    const { bot, receiver, say } = await webhookFixture()
    expectOk(await bot.delete('/webhook'))
    await say('before')
    expectOk(await bot.put('/webhook', { url: receiver.url }))
    await say('after')
    expect((await receiver.first(1)).map(textOf)).toEqual(['after'])
  })

  test('uses a new address immediately', async () => {
    const { bot, receiver, say } = await webhookFixture()
    const other = await WebhookReceiver.start()
    await say('to the first')
    await receiver.first(1)
    expectOk(await bot.put('/webhook', { url: other.url }))
    await say('to the second')
    expect((await other.first(1)).map(textOf)).toEqual(['to the second'])
    expect(receiver.received).toHaveLength(1)
  })
})
