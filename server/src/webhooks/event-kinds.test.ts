import { describe, expect, test } from 'vitest'
import { expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { webhookFixture } from '../../test/webhook-fixture.ts'

await portal({
  WEBHOOK_ALLOW_CIDR: '127.0.0.0/8',
  WEBHOOK_RETRY_PAUSES: '0.1',
  WEBHOOK_OFF_STREAK: '1',
  WEBHOOK_OFF_SECONDS: '0',
})

const MEMBERS = ['member.joined', 'member.left']

/** A webhook with kinds, and someone who joins and leaves. */
async function webhookWith(kinds?: readonly string[]) {
  const made = await webhookFixture()
  const { bot, receiver, at, newPerson } = made
  const set = async (wanted: object = {}) =>
    expectOk(await bot.put<{ kinds?: string[] }>('/webhook', { url: receiver.url, ...wanted }))
  if (kinds) await set({ kinds })
  return {
    ...made,
    set,
    visit: async () => {
      const person = await newPerson()
      expectOk(await person.post(`${at}/join`))
      expectOk(await person.delete(`${at}/membership`))
      return { id: person.id, name: person.name }
    },
    sent: () => receiver.received.map(({ event: { event, data } }) => [event, data]),
  }
}

describe('a webhook', () => {
  test('that names no kinds gets no opt-in events', async () => {
    const { receiver, visit, say, sent } = await webhookWith()
    await visit()
    await say('sent')
    await receiver.first(1)
    expect(sent()).toEqual([['message.created', expect.anything()]])
  })

  test('gets exactly the kinds that it named, signed and listed like others', async () => {
    const { receiver, visit, say, sent, deliveries } = await webhookWith(MEMBERS)
    await say('not asked for')
    const user = await visit()
    await receiver.first(2)
    expect(sent()).toEqual([
      ['member.joined', { user, isBot: false }],
      ['member.left', { user, isBot: false }],
    ])
    expect(receiver.received.map(({ headers }) => headers['x-service-event'])).toEqual(MEMBERS)
    await eventually(async () => (await deliveries()).map(({ event, state }) => `${event} ${state}`)).toEqual([
      'member.left delivered',
      'member.joined delivered',
    ])
  })

  test('keeps its kinds until others are set', async () => {
    const { bot, receiver, set, webhook } = await webhookWith(MEMBERS)
    const read = async () => expectOk(await bot.get<{ kinds?: string[] }>('/webhook')).kinds
    expect((await set({ url: `${receiver.url}/2` })).kinds).toEqual(MEMBERS)
    expect(await read()).toEqual(MEMBERS)
    expect(await webhook()).toMatchObject({ kinds: MEMBERS })
    expect((await set({ kinds: ['message.created'] })).kinds).toEqual(['message.created'])
    expect(await read()).toEqual(['message.created'])
    for (const kinds of [[], ['member.jumped'], ['member.left', 'member.left'], 'member.left', [null]]) {
      expectRefusal(await bot.put('/webhook', { url: receiver.url, kinds }), 'badRequest', {
        field: expect.stringMatching(/^kinds/),
      })
    }
    expect(await read()).toEqual(['message.created'])
  })

  test('gets what it missed while it was off, when that is replayed', async () => {
    const { owner, application, receiver, visit, webhook, set, sent } = await webhookWith(MEMBERS)
    receiver.replies = [500]
    await visit()
    await eventually(webhook).toMatchObject({ active: false })
    const user = await visit()
    await set()
    receiver.replies = [204]
    const before = receiver.received.length
    expectOk(await owner.post(`${application}/webhook/replay`))
    await receiver.until(() => receiver.received.length >= before + 3)
    await eventually(() => sent().slice(-2)).toEqual([
      ['member.joined', { user, isBot: false }],
      ['member.left', { user, isBot: false }],
    ])
  })

  test('is told that its application was removed, although the access has ended', async () => {
    const { owner, bot, at, channel, receiver, sent, install } = await webhookWith([
      'application.installed',
      'application.removed',
    ])
    const remove = async () => expectOk(await owner.delete(`${at}/applications/${bot.application.id}`))
    await remove()
    await receiver.first(1)
    // Paused meanwhile, so that it is held, too.
    await bot.reissue(['messages:read'])
    await install(bot)
    await remove()
    await bot.reissue()
    await receiver.first(3)
    const place = { id: channel.id, name: channel.name }
    expect(sent().map(([event]) => event)).toEqual([
      'application.removed',
      'application.installed',
      'application.removed',
    ])
    expect(sent()[0]).toEqual(['application.removed', { channel: place }])
  })
})
