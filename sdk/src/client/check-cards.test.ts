import { CARD_LIMITS as ofContract } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'
import { Client } from './client.ts'
import type { Card } from './resources.ts'
import { CARD_LIMITS } from './check-cards.ts'

test('the limits of cards are those of the contract', () => {
  expect(CARD_LIMITS).toEqual(ofContract)
})

test.each<[string, Card[]]>([
  ['A message can have 5 cards, not 6', Array.from({ length: 6 }, () => ({ title: 'One' }))],
  ['cards[1] must have a title, a text, a field, a picture or a footer', [{ title: 'One' }, { color: '#2da44e' }]],
  ['cards[0].url needs a title, which it belongs to', [{ text: 'a', url: 'https://ci.example' }]],
  ['cards[0].url must be an http or https address', [{ title: 'a', url: '/builds/140' }]],
  ['cards[0].color must be a color such as #2da44e', [{ title: 'a', color: 'green' }]],
  [
    'cards[0].fields[1].value must be 1–1024 characters, not 1025',
    [
      {
        fields: [
          { name: 'a', value: 'b' },
          { name: 'c', value: 'd'.repeat(1025) },
        ],
      },
    ],
  ],
  ['cards[0].title must be 1–256 characters, not 1', [{ title: ' ' }]],
  [
    'The cards of a message can have 6000 characters, not 6001',
    [{ text: 'a'.repeat(3000) }, { text: 'b'.repeat(3001) }],
  ],
])('%s', async (message, cards) => {
  const client = new Client({
    url: 'https://chat.example',
    key: 'none',
    fetch: () => Promise.reject(new Error('sent')),
  })
  const place = { channelId: crypto.randomUUID(), roomId: crypto.randomUUID(), text: 'Build' }
  await expect(client.sendMessage({ ...place, cards })).rejects.toThrow(new TypeError(message))
  await expect(client.editMessage({ ...place, messageId: place.roomId, cards })).rejects.toThrow(message)
})

test('a bot replies with cards, and replaces and removes them', async () => {
  const { server, owner, bots, room } = await channelFixture({ bots: 1 })
  const bot = botOf(server, bots[0])
  const seen: unknown[] = []
  bot.command('/build', { description: 'Shows the last build' }, async (ctx) => {
    const sent = await ctx.reply('Build 140', {
      cards: [{ title: 'Build 140', fields: [{ name: 'State', value: 'runs' }] }],
    })
    const edited = await ctx.edit(sent.id, 'Build 140', { cards: [{ title: 'Build 140', color: '#2da44e' }] })
    const kept = await ctx.edit(sent.id, 'Build 140 is green')
    const removed = await ctx.edit(sent.id, 'Build 140 is gone', { cards: [] })
    seen.push(sent.cards, edited.cards, kept.cards, removed.cards)
  })
  await bot.start()
  await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: '/build' })
  const green = [{ title: 'Build 140', color: '#2da44e' }]
  const runs = [{ title: 'Build 140', fields: [{ name: 'State', value: 'runs' }] }]
  await eventually(() => Promise.resolve(seen)).toEqual([runs, green, green, undefined])
})
