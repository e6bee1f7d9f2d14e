import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'
import { CommandContext, memoryPositions, type BotEvent } from '../index.ts'

async function talk() {
  const { server, owner, room, bots } = await channelFixture({ bots: 2 })
  const at = `/rooms/${room.id}/messages`
  const errors: [unknown, BotEvent | undefined][] = []
  const positions = memoryPositions()
  const bot = botOf(server, bots[0], { positions }).onError((error, event) => errors.push([error, event]))
  return {
    server,
    bot,
    bots,
    positions,
    errors,
    say: async (text: string, from: Pick<typeof owner, 'post'> = owner) =>
      expectOk(await from.post(at, { channelId: room.channelId, text })),
    texts: async () => {
      const path = `${at}?channelId=${room.channelId}`
      const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(path))
      return messages.map(({ text }) => text).toReversed()
    },
  }
}

describe('middleware', () => {
  test('runs around every handler, in the order in which it was added', async () => {
    const { bot, say } = await talk()
    const steps: string[] = []
    bot.command('/ping', { description: 'Answers' }, () => void steps.push('command'))
    for (const name of ['outer', 'inner']) {
      bot.use(async (ctx, next) => {
        steps.push(`${name}: ${ctx instanceof CommandContext ? ctx.command : ctx.event.event}`)
        await next()
        steps.push(`${name} is done`)
      })
    }
    await bot.start()
    await say('/ping')
    await say('no command')
    await say('/ping')
    const once = ['outer: /ping', 'inner: /ping', 'command', 'inner is done', 'outer is done']
    await eventually(() => steps).toEqual([...once, ...once])
  })

  test('keeps a handler from running by not calling next, and the event counts as handled', async () => {
    const { bot, say, texts, positions, errors } = await talk()
    bot.use((ctx, next) => (ctx instanceof CommandContext && ctx.args[0] === 'secret' ? ctx.reply('No') : next()))
    bot.command('/show', { description: 'Shows' }, (ctx) => ctx.reply(ctx.rest))
    await bot.start()
    const before = (await positions.load())?.offset ?? 0
    await say('/show secret')
    await say('/show something')
    await eventually(async () => (await texts()).toSorted()).toEqual(
      ['/show secret', '/show something', 'No', 'something'].toSorted(),
    )
    await bot.stop()
    // Other channels have positions, too.
    expect((await positions.load())?.offset).toBeGreaterThanOrEqual(before + 2)
    expect(errors).toEqual([])
  })

  test('gets what the handler throws, and onError gets what comes out of it', async () => {
    const { bot, say, errors } = await talk()
    bot.use(async (_ctx, next) => {
      await next().catch((cause: unknown) => {
        throw new Error('in the middleware', { cause })
      })
    })
    bot.use(async (ctx, next) => {
      await next()
      if (ctx.event.event === 'message.created' && ctx.event.data.message.text === 'twice') await next()
    })
    const handled: string[] = []
    bot.on('message.created', ({ data }) => {
      if (data.message.text === 'bad') throw new Error('can’t')
      handled.push(data.message.text)
    })
    await bot.start()
    for (const text of ['bad', 'twice', 'good']) await say(text)
    await eventually(() => handled).toEqual(['twice', 'good'])
    expect(errors).toMatchObject([
      [{ message: 'in the middleware', cause: { message: 'can’t' } }, { data: { message: { text: 'bad' } } }],
      [{ cause: { message: expect.stringContaining('next() was called twice') as string } }, {}],
    ])
  })

  test('runs again when its handler is run again, and the position waits for it', async () => {
    const { bot, say, texts, positions } = await talk()
    let runs = 0
    bot.use(async (ctx, next) => {
      runs += 1
      await next()
      if (runs === 1) ctx.retryLater({ afterSec: 0 })
    })
    const offsets: number[] = []
    bot.command('/ping', { description: 'Answers' }, async (ctx) => {
      offsets.push((await positions.load())?.offset ?? 0)
      await ctx.reply(`pong ${runs}`)
    })
    await bot.start()
    await say('/ping')
    await eventually(() => runs).toBe(2)
    await bot.stop()
    expect(await texts()).toEqual(['/ping', 'pong 1'])
    expect((await positions.load())?.offset).toBeGreaterThan(offsets[0] ?? Infinity)
    expect(new Set(offsets).size).toBe(1)
  })
})

describe('bot.hears', () => {
  test('handles messages that are a text or in which a pattern is found, once each', async () => {
    const { bot, say } = await talk()
    const heard: string[] = []
    bot
      .hears('What time is it?', ({ match }) => heard.push(`text: ${match[0]}`))
      .hears(/\bticket (?<number>\d+)/gi, ({ match, author }) =>
        heard.push(`${author.name}: ${match.groups?.['number']}`),
      )
      .command('/ticket', { description: 'Shows a ticket' }, () => void heard.push('command'))
    await bot.start()
    const said = [
      '**what time is it?**',
      'What time is it? Late',
      'Ticket 1, not ticket 2',
      'ticket 3',
      '/ticket ticket 4',
    ]
    for (const text of said) await say(text)
    await eventually(() => heard.at(-1)).toBe('command')
    expect(heard).toEqual([
      'text: what time is it?',
      expect.stringMatching(/: 1$/),
      expect.stringMatching(/: 3$/),
      'command',
    ])
  })

  test('ignores bots unless it is asked for them', async () => {
    const { bot, bots, say } = await talk()
    const heard: string[] = []
    bot.hears(/hello/, ({ data }) => heard.push(data.message.text))
    bot.hears(/hello/, { bots: true }, ({ match }) => heard.push(`all: ${match.input}`))
    await bot.start()
    await say('hello from a bot', bots[1])
    await say('hello from a person')
    await say('hello', bots[0])
    await eventually(() => heard).toHaveLength(3)
    expect(heard.toSorted()).toEqual(['all: hello from a bot', 'all: hello from a person', 'hello from a person'])
  })

  test('needs the scope that tells who is a bot, and says so at the start', async () => {
    const { server } = await talk()
    const { newBot } = await channelFixture()
    const { key } = await newBot({ scopes: ['events', 'messages:write'] })
    const without = () => botOf(server, { key })
    const bot = without().hears('hello', () => {})
    await expect(bot.start()).rejects.toMatchObject({ requiredScopes: ['channel:read'] })
    await without()
      .hears('hello', { bots: true }, () => {})
      .start()
  })
})
