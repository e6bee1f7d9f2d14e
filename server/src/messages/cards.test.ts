import {
  messageCreated,
  messageUpdated,
  type Card,
  type Message,
  type Output,
  type UploadedFile,
} from '@portico/contract'
import type * as api from '@portico/contract'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import type { Bot } from '../../test/bot.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { Stream } from '../../test/stream.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

const BUILD: Card = {
  title: 'Build 1.4.0',
  url: 'https://ci.example/builds/140',
  text: 'All **214** tests passed',
  color: '#2da44e',
  fields: [
    { name: 'Environment', value: '`staging`' },
    { name: 'Branch', value: 'quartz' },
  ],
  footer: 'Took 3 min',
}

interface Place {
  readonly id: string
  readonly channelId: string
}

function send(bot: Pick<Bot, 'post'>, { id, channelId }: Place, cards: unknown, more: object = {}, headers = {}) {
  return bot.post<Message>(`/rooms/${id}/messages`, { channelId, text: 'Build finished', cards, ...more }, headers)
}

function edit(bot: Pick<Bot, 'patch'>, { id, channelId }: Place, messageId: string, change: object) {
  const path = `/rooms/${id}/messages/${messageId}`
  return bot.patch<Output<typeof api.editMessage>>(path, { channelId, text: 'Build finished', ...change })
}

async function picture(bot: Bot, { id }: Place): Promise<UploadedFile> {
  const content = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const path = `/rooms/${id}/files?name=${encodeURIComponent('план (1).png')}`
  return expectOk(await bot.request<UploadedFile>('POST', path, new Uint8Array(content)))
}

describe('the cards of a message', () => {
  test('are in the answer, the history, the events of bots and what portals receive', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 2 })
    const [bot, witness] = bots
    const stream = await Stream.of(server, witness)
    const open = await OpenPortal.of(server, owner)
    const cards = [BUILD, { text: `Broken by <@${owner.id}>` }]
    const sent = expectOk(await send(bot, room, cards))
    expect(sent.cards).toEqual(cards)

    const at = `/rooms/${room.id}`
    const listed = expectOk(await bot.get<{ messages: Message[] }>(`${at}/messages?channelId=${room.channelId}`))
    expect(listed.messages).toEqual([sent])
    const [event] = await stream.first(1)
    expect(event).toMatchObject({ data: { message: sent } })
    const names = [{ id: owner.id, name: owner.name, channelNickname: null }]
    expect(await open.next(messageCreated)).toMatchObject({
      data: { message: { cards } },
      shown: { mentions: [], cardMentions: names },
    })
    const history = await owner.get<Output<typeof api.readHistory>>(`${at}/history?channelId=${room.channelId}`)
    expect(expectOk(history).messages).toMatchObject([{ id: sent.id, cards, mentions: [], cardMentions: names }])
    // A card notifies no one.
    const { rows } = await server.services.database.pool.query('SELECT FROM mentions WHERE message_id = $1', [sent.id])
    expect(rows).toEqual([])
  })

  test('are absent from messages without them, and from those of people', async () => {
    const { owner, bots, room } = await channelFixture({ bots: 1 })
    const plain = expectOk(await send(bots[0], room, []))
    const ofPerson = expectOk(await send(owner, room, [BUILD]))
    for (const message of [plain, ofPerson]) expect(message).not.toHaveProperty('cards')
    const { messages } = expectOk(
      await bots[0].get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${room.channelId}`),
    )
    expect(messages).toHaveLength(2)
    for (const message of messages) expect(message).not.toHaveProperty('cards')
    expect(expectOk(await edit(bots[0], room, plain.id, {}))).not.toHaveProperty('cards')
  })

  test('stay when only the text is edited, are replaced by others and removed by an empty list', async () => {
    const { server, owner, bots, room } = await channelFixture({ bots: 1 })
    const open = await OpenPortal.of(server, owner)
    const { id } = expectOk(await send(bots[0], room, [BUILD]))
    expect(expectOk(await edit(bots[0], room, id, { text: 'Finished' }))).toMatchObject({ cards: [BUILD] })
    const other = [{ title: 'Build 1.4.1' }]
    expect(expectOk(await edit(bots[0], room, id, { cards: other }))).toMatchObject({ cards: other })
    expect(expectOk(await edit(bots[0], room, id, { cards: [] }))).not.toHaveProperty('cards')
    const seen = [await open.next(messageUpdated), await open.next(messageUpdated), await open.next(messageUpdated)]
    expect(seen.map(({ data }) => data.message.cards)).toEqual([[BUILD], other, undefined])
    const { messages } = expectOk(
      await bots[0].get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${room.channelId}`),
    )
    expect(messages[0]).not.toHaveProperty('cards')
  })

  test('are returned again to a repeated request, which with other cards is refused', async () => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const key = { 'idempotency-key': 'build-140' }
    const first = expectOk(await send(bots[0], room, [BUILD], {}, key))
    expect(expectOk(await send(bots[0], room, [BUILD], {}, key))).toEqual(first)
    expectRefusal(await send(bots[0], room, [{ title: 'Other' }], {}, key), 'unprocessable', {
      reason: 'idempotency_key_reused',
    })
  })

  test.each<[string, unknown, string]>([
    ['six', Array.from({ length: 6 }, () => ({ title: 'One' })), 'cards: must be a list of at most 5 cards'],
    ['no list', { title: 'One' }, 'cards: must be a list of at most 5 cards'],
    ['an empty one', [{ color: '#ff0000' }], 'cards.0: must have a title, a text, a field, a picture or a footer'],
    ['an url alone', [{ text: 'a', url: 'https://a.example' }], 'cards.0: must have a title, to which the url belongs'],
    ['a script', [{ title: 'a', url: 'javascript:alert(1)' }], 'cards.0.url: must be an http or https address'],
    ['a login', [{ title: 'a', url: 'https://bank.example@evil.example' }], 'cards.0.url: must be an http or https'],
    ['a wrong color', [{ title: 'a', color: 'red' }], 'cards.0.color: must be a color such as #2da44e'],
    ['a blank title', [{ title: ' ' }], 'cards.0.title: must not be blank'],
    ['a nul', [{ text: 'a\0b' }], 'cards.0.text: must be well-formed Unicode without U+0000'],
    ['a foreign picture', [{ picture: { url: 'https://a.example/a.png' } }], 'cards.0.picture.url: must be the url of'],
    ['a file without a preview', [{ picture: { url: `/files/${crypto.randomUUID()}/a.txt?s=4` } }], 'must be the url'],
    ['too much text', ['a', 'b'].map((text) => ({ text: text.repeat(3001) })), 'cards: must have at most 6000'],
  ])('are refused if they are %s', async (_name, cards, message) => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const refused = await send(bots[0], room, cards)
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) as string } })
    const { id } = expectOk(await send(bots[0], room, undefined))
    expect((await edit(bots[0], room, id, { cards })).status).toBe(400)
  })

  test('count characters of people, and contain nothing that isn’t part of a card', async () => {
    const { bots, room } = await channelFixture({ bots: 1 })
    const cards = [
      { text: '👍'.repeat(3000), extra: 1 },
      { text: 'b'.repeat(3000), fields: undefined },
    ]
    const sent = expectOk(await send(bots[0], room, cards))
    expect(sent.cards).toEqual(cards.map(({ text }) => ({ text })))
  })

  test('show a picture of the bot to those who can read the room, until the message is edited or deleted', async () => {
    const { server, owner, bots, room, newPerson } = await channelFixture({ bots: 2 })
    const [bot, other] = bots
    const stranger = await newPerson()
    const { url } = await picture(bot, room)
    const statusFor = async ({ cookie }: { cookie: string }): Promise<number> =>
      (await fetch(server.url + url, { headers: { cookie } })).status
    const cards = [{ picture: { url, alt: 'A plan' } }]
    // A bot can't show what someone else has uploaded.
    expectOk(await send(other, room, cards))
    expect(await statusFor(owner)).toBe(404)

    const { id } = expectOk(await send(bot, room, cards))
    expect([await statusFor(owner), await statusFor(stranger)]).toEqual([200, 404])
    expectOk(await edit(bot, room, id, { text: 'Other text' }))
    expect(await statusFor(owner)).toBe(200)
    expectOk(await edit(bot, room, id, { cards: [] }))
    expect(await statusFor(owner)).toBe(404)
    expectOk(await edit(bot, room, id, { cards }))
    expect(await statusFor(owner)).toBe(200)
    expectOk(await bot.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    expect(await statusFor(owner)).toBe(404)
  })

  test('are found by search with the text of the message, which says where', async () => {
    const { owner, bots, room, at } = await channelFixture({ bots: 1 })
    const { id } = expectOk(await send(bots[0], room, [BUILD]))
    const search = async (q: string) =>
      expectOk(await owner.get<Output<typeof api.searchMessages>>(`${at}/search?q=${encodeURIComponent(q)}`)).hits
    const [hit] = await search('test')
    expect(hit).toMatchObject({
      message: { id },
      found: [],
      inCard: { text: BUILD.text, found: [{ from: 12, to: 17 }] },
    })
    for (const q of ['finished staging', 'quartz', '"tests passed"', 'finished -prod']) {
      expect(await search(q), q).toHaveLength(1)
    }
    for (const q of ['finished -quartz', '"passed tests"', 'ci.example']) expect(await search(q), q).toEqual([])
    expectOk(await edit(bots[0], room, id, { cards: [] }))
    expect(await search('quartz')).toEqual([])
    expect(await search('finished')).toHaveLength(1)
  })

  test('leave nothing behind when the message is deleted', async () => {
    const { server, owner, bots, room, at } = await channelFixture({ bots: 2 })
    const [bot, receiver] = bots
    expectOk(await receiver.put('/webhook', { url: 'https://127.0.0.1:9/' }))
    const secret = 'zirconium'
    const cards = [{ title: secret, text: `<@${owner.id}>` }]
    const { id } = expectOk(await send(bot, room, cards, {}, { 'idempotency-key': 'once' }))
    expectOk(await edit(bot, room, id, { cards: [{ footer: secret }] }))
    const mentions = async () => {
      const tables = ['messages', 'events', 'deliveries', 'idempotency_keys']
      const counts = tables.map((table) =>
        server.services.database.pool.query(`SELECT 1 FROM ${table} t WHERE t::text LIKE '%' || $1 || '%'`, [secret]),
      )
      return (await Promise.all(counts)).map(({ rowCount }) => rowCount)
    }
    expect((await mentions()).slice(0, 2)).toEqual([1, 2])
    expect((await mentions())[3]).toBe(1)
    expectOk(await bot.delete(`/rooms/${room.id}/messages/${id}`, { channelId: room.channelId }))
    expect(await mentions()).toEqual([0, 0, 0, 0])
    expect(expectOk(await owner.get<{ hits: unknown[] }>(`${at}/search?q=${secret}`)).hits).toEqual([])
    const { rows } = await server.services.database.pool.query<{ shown: string }>(
      `SELECT shown FROM events WHERE body LIKE '%' || $1 || '%' AND shown IS NOT NULL`,
      [id],
    )
    expect(JSON.stringify(rows)).not.toContain('cardMentions')
  })
})
