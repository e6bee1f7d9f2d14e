import { noticeShown, type Command, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { OpenPortal } from '../../../server/test/open-portal.ts'
import { botOf } from '../../test/start-bot.ts'
import { boolean, choice, integer, member, number, room as roomOption, string } from '../index.ts'

const options = {
  service: string({ required: true, description: 'What to deploy' }),
  count: integer({ min: 1, max: 9 }),
  where: choice(['staging', { value: 'live', label: 'Production' }]),
}

/** A fetch that a portal without options answers: it ignores what it doesn't know. */
const withoutOptions: typeof fetch = async (input, init) => {
  const { body } = init ?? {}
  if (typeof body !== 'string' || !body.includes('"options"')) return fetch(input, init)
  const { commands } = JSON.parse(body) as { commands: (Command & { options?: unknown })[] }
  const known = commands.map((command) => ({ ...command, options: undefined }))
  return fetch(input, { ...init, body: JSON.stringify({ commands: known }) })
}

describe('the options of a command', () => {
  test('have the types with which they are declared', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const bot = botOf(server, bots[0])
    const all = { ...options, share: number({ required: true }), force: boolean(), who: member({ required: true }) }
    bot.command('/deploy', { description: 'Deploys', options: all }, (ctx) => {
      expectTypeOf(ctx.options.service).toEqualTypeOf<string>()
      expectTypeOf(ctx.options.count).toEqualTypeOf<number | undefined>()
      expectTypeOf(ctx.options.where).toEqualTypeOf<'staging' | 'live' | undefined>()
      expectTypeOf(ctx.options.share).toEqualTypeOf<number>()
      expectTypeOf(ctx.options.force).toEqualTypeOf<boolean | undefined>()
      expectTypeOf(ctx.options.who).toEqualTypeOf<string>()
      // @ts-expect-error there is no such option
      void ctx.options.nothing
    })
    bot.command('/plain', { description: 'Has none' }, (ctx) => {
      expectTypeOf(ctx.options['nothing']).toEqualTypeOf<undefined>()
    })
  })

  test.each([
    ['as the portal has read them', undefined],
    ['read by the SDK, for a portal that doesn’t know them', withoutOptions],
  ])('are %s', async (_, fetchOfBot) => {
    const { server, owner, bots, at, room } = await channelFixture({ bots: 1 })
    const bot = botOf(server, bots[0], fetchOfBot && { fetch: fetchOfBot })
    const seen: unknown[] = []
    bot.command('/deploy', { description: 'Deploys', options }, (ctx) => void seen.push([ctx.options, ctx.args]))
    bot.command('/where', { description: 'Asks', options: { room: roomOption({ required: true }) } }, (ctx) => {
      seen.push([ctx.options, ctx.event.data.command !== undefined])
    })
    bot.on('message.created', ({ data }) => void (data.message.text === 'end' && seen.push('end')))
    await bot.start()
    const { commands } = expectOk(await owner.get<Output<typeof api.listChannelCommands>>(`${at}/commands`))
    expect(commands.map(({ usage }) => usage)).toEqual(['<service> [count] [where]', '<room>'])

    const open = await OpenPortal.of(server, owner)
    const write = async (text: string) =>
      expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
    await write('/Deploy "two words" where:production')
    await write('/where #workshop')
    await write('/deploy api many more')
    await write('/where #nowhere')
    await write('end')
    await expect.poll(() => seen.at(-1), { timeout: 60_000 }).toBe('end')
    expect(seen.slice(0, 2)).toEqual([
      [{ service: 'two words', where: 'live' }, ['two words', 'where:production']],
      [{ room: room.id }, fetchOfBot === undefined],
    ])
    expect((await open.next(noticeShown)).data.notice.text).toBe(
      [
        '- count must be a whole number.',
        '- where must be one of: staging, live.',
        '`/deploy <service> [count] [where]`',
      ].join('\n'),
    )
    expect((await open.next(noticeShown)).data.notice.text).toContain('room must be the name of one room')
    expect(seen).toHaveLength(3)
  })

  test('are declared once, and again when they change', async () => {
    const { server, bots } = await channelFixture({ bots: 1 })
    const sent: string[] = []
    const counting: typeof fetch = (input, init) => {
      if (init?.method === 'PUT' && typeof init.body === 'string') sent.push(init.body)
      return fetch(input, init)
    }
    const start = async (most: number) => {
      const bot = botOf(server, bots[0], { fetch: counting })
      const declared = { ...options, count: integer({ max: most, min: 1 }) }
      bot.command('/deploy', { description: 'Deploys', options: declared }, () => undefined)
      await bot.start()
      await bot.stop()
    }
    await start(9)
    await start(9)
    expect(sent).toHaveLength(1)
    await start(10)
    expect(sent).toHaveLength(2)
  })
})
