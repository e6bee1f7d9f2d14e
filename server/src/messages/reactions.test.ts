import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectOk } from '../../test/channel-fixture.ts'

/** A reaction is one emoji: one grapheme as Unicode defines it. */
describe('addReaction and removeReaction', () => {
  const fixture = botApiFixture()

  const newMessage = async () => {
    const { bot, channel, room, owner, messageOf } = await fixture
    const messageId = await messageOf(owner)
    const at = `/rooms/${room.id}/messages/${messageId}/reactions`
    const react = (emoji: unknown, by = bot) => by.post(at, { channelId: channel.id, emoji })
    const takeBack = (emoji: unknown, by = bot) => by.delete(at, { channelId: channel.id, emoji })
    const shown = async () => {
      const { messages } = expectOk(
        await owner.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
      )
      return messages.find(({ id }) => id === messageId)?.reactions
    }
    return { messageId, react, takeBack, shown }
  }

  test.each([
    ['a face', '😀'],
    ['a ZWJ family', '👨‍👩‍👧‍👦'],
    ['a flag', '🇺🇦'],
    ['a flag of tags', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
    ['a skin tone', '👍🏽'],
    ['a couple of two skin tones', '🧑🏻‍❤️‍💋‍🧑🏿'],
    ['a keycap', '1️⃣'],
    ['a profession', '👩🏾‍🚀'],
    ['a rainbow flag', '🏳️‍🌈'],
    ['a heart in full form', '❤️'],
  ])('%s is one', async (_name, emoji) => {
    const { messageId, react, shown } = await newMessage()
    expect(await react(emoji)).toMatchObject({ status: 201, body: { emoji, messageId } })
    expect(await shown()).toEqual([{ emoji, count: 1, mine: false }])
  })

  test.each([
    ['nothing', ''],
    ['a letter', 'a'],
    ['a digit', '1'],
    ['a word', 'smile'],
    ['a shortcode', ':+1:'],
    ['two', '😀😀'],
    ['one and a letter', '😀a'],
    ['one and a space', '😀 '],
    ['half a pair', '\ud83d'],
    ['half a flag', '🇺'],
    ['a flag of no country', '🇽🇽'],
    ['a joiner', '\u200d'],
    ['a family that no font draws', '👨‍🍕'],
    ['U+0000', '\u0000'],
    ['a number', 1],
    ['null', null],
  ])('%s is none (400)', async (_name, emoji) => {
    const { react, shown } = await newMessage()
    expect(await react(emoji)).toMatchObject({
      status: 400,
      body: { field: 'emoji', message: 'emoji: must be one emoji' },
    })
    expect(await shown()).toEqual([])
  })

  test.each([
    ['❤', '❤️'],
    ['🏳‍🌈', '🏳️‍🌈'],
    ['👁‍🗨', '👁️‍🗨️'],
    ['🏃‍♀', '🏃‍♀️'],
    ['1⃣', '1️⃣'],
    ['👍️', '👍'],
    ['☝️🏽', '☝🏽'],
  ])('%s and %s are one kind: the answer has the full form', async (short, full) => {
    const { react, takeBack, shown } = await newMessage()
    const { newBot } = await fixture
    const other = await newBot()
    expect(await react(short)).toMatchObject({ status: 201, body: { emoji: full } })
    expect(await react(full, other)).toMatchObject({ status: 201, body: { emoji: full } })
    expect(await shown()).toEqual([{ emoji: full, count: 2, mine: false }])
    expect((await takeBack(full)).status).toBe(204)
    expect((await takeBack(short, other)).status).toBe(204)
    expect(await shown()).toEqual([])
  })

  test('are idempotent, and publish one event each', async () => {
    const { publishedEvents } = await fixture
    const { messageId, react, takeBack } = await newMessage()
    const first = await react('🎉')
    const again = await react('🎉')
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect((await takeBack('🎉')).status).toBe(204)
    expect((await takeBack('🎉')).status).toBe(204)
    const mine = (await publishedEvents()).filter(({ data }) => data['messageId'] === messageId)
    expect(mine.map(({ event, data }) => [event, data['totalCount']])).toEqual([
      ['reaction.added', 1],
      ['reaction.removed', 0],
    ])
  })

  test('allow 20 kinds on a message, and more reactions of an existing kind', async () => {
    const { newBot } = await fixture
    const { react, takeBack, shown } = await newMessage()
    const kinds = Array.from({ length: 21 }, (_, n) => String.fromCodePoint(0x1f600 + n))
    for (const emoji of kinds.slice(0, 20)) expect((await react(emoji)).status).toBe(201)
    const more = kinds[20]
    expect(await react(more)).toMatchObject({ status: 422, body: { reason: 'too_many_reactions' } })
    expect((await react(kinds[0], await newBot())).status).toBe(201)
    expect(await shown()).toHaveLength(20)

    expect((await takeBack(kinds[5])).status).toBe(204)
    expect((await react(more)).status).toBe(201)
  })

  test('give the last place to one of twenty concurrent new emoji', async () => {
    const { react, shown } = await newMessage()
    const kinds = Array.from({ length: 39 }, (_, n) => String.fromCodePoint(0x1f600 + n))
    for (const emoji of kinds.slice(0, 19)) expect((await react(emoji)).status).toBe(201)
    const answers = await Promise.all(kinds.slice(19).map((emoji) => react(emoji)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(19)
    expect(await shown()).toHaveLength(20)
  })
})
