import type { Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'

test('a reply shows its files below the text, once even if the handler is run again', async () => {
  const { server, owner, room, bots } = await channelFixture({ bots: 1 })
  const bot = botOf(server, bots[0])
  const shown: string[] = []
  let runs = 0
  bot.command('/report', { description: 'Reports' }, async (ctx) => {
    runs += 1
    const { id } = await ctx.reply('The report:', {
      files: [
        { name: 'report [1].txt', file: 'All is well' },
        { name: 'bytes.bin', file: new Uint8Array([1, 2, 3]) },
      ],
      cards: [{ title: 'Report' }],
    })
    // The message that was sent first, with its files.
    shown.push((await ctx.client.listMessages({ channelId: room.channelId, roomId: room.id })).messages[0]?.text ?? '')
    if (runs === 1) ctx.retryLater({ afterSec: 0 })
    await ctx.edit(id, '', { files: [{ name: 'new.txt', file: new Blob(['All is better']) }] })
  })
  await bot.start()
  const at = `/rooms/${room.id}/messages`
  const texts = async () => {
    const { messages } = expectOk(await owner.get<{ messages: Message[] }>(`${at}?channelId=${room.channelId}`))
    return messages.map(({ text }) => text)
  }
  expectOk(await owner.post(at, { channelId: room.channelId, text: '/report' }))
  await eventually(async () => (await texts())[0]).toMatch(/^\[new\.txt\]\(\/files\/\S+\)$/)
  expect(await texts()).toHaveLength(2)
  expect(shown[0]).toMatch(/^The report:\n\n\[report .*\]\(\/files\/\S+\)\n\[bytes\.bin\]\(\/files\/\S+\)$/)
  expect(shown).toEqual([shown[0], shown[0]])
  const path = /\((\/files\/[^)]+)\)/.exec((await texts())[0] ?? '')?.[1] ?? ''
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bot ${bots[0].key}` } })
  expect(await response.text()).toBe('All is better')
})

test('a message may consist of files only, and comes in the order of the calls', async () => {
  const { server, owner, room, bots } = await channelFixture({ bots: 1 })
  const bot = botOf(server, bots[0])
  bot.command('/files', { description: 'Sends files' }, async (ctx) => {
    await ctx.say('', { files: ['one', 'two'].map((name) => ({ name: `${name}.txt`, file: name })) })
    await ctx.say('Above:')
  })
  await bot.start()
  const at = `/rooms/${room.id}/messages`
  expectOk(await owner.post(at, { channelId: room.channelId, text: '/files' }))
  const texts = async () => {
    const { messages } = expectOk(await owner.get<{ messages: Message[] }>(`${at}?channelId=${room.channelId}`))
    return messages.map(({ text }) => text).toReversed()
  }
  await eventually(texts).toEqual([
    '/files',
    expect.stringMatching(/^\[one\.txt\]\(\/files\/\S+\)\n\[two\.txt\]\(\/files\/\S+\)$/),
    'Above:',
  ])
})
