import { noticeShown } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture } from '../../../server/test/channel-fixture.ts'
import { OpenPortal } from '../../../server/test/open-portal.ts'
import { botOf } from '../../test/start-bot.ts'
import { ConnectionError } from '../index.ts'

test('a handler that is run again shows each of its notices once more in the same place', async () => {
  const { server, owner, bots, room } = await channelFixture({ bots: 1 })
  const bot = botOf(server, bots[0])
  let runs = 0
  bot.command('/deploy', { description: 'Deploys' }, async (ctx) => {
    runs += 1
    await ctx.notice('There is no such service', { cards: [{ title: 'Services' }] })
    await ctx.showNotice(room.id, owner.id, 'Ask the operator')
    if (runs === 1) throw new ConnectionError('the build server is away', { problem: 'refused' })
  })
  await bot.start()
  const open = await OpenPortal.of(server, owner)
  await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: '/deploy apis' })
  const shown = []
  while (shown.length < 4) shown.push((await open.next(noticeShown)).data.notice)
  expect(shown.map(({ text }) => text)).toEqual([
    'There is no such service',
    'Ask the operator',
    'There is no such service',
    'Ask the operator',
  ])
  expect(shown[0]?.cards).toEqual([{ title: 'Services' }])
  const [first, second, ...again] = shown.map(({ id }) => id)
  expect(again).toEqual([first, second])
  expect(first).not.toBe(second)
})
