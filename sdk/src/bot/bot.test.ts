import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'
import {
  DisplacedError,
  memoryPositions,
  MissingScopeError,
  UnauthorizedError,
  type BotEvent,
  type Position,
} from '../index.ts'

async function botFixture() {
  const made = await channelFixture({ bots: 2, people: 1 })
  const { owner, room, bots, server } = made
  const place = { channelId: room.channelId, roomId: room.id }
  const say = async (text: string, roomId = room.id) =>
    expectOk(await owner.post<{ id: string }>(`/rooms/${roomId}/messages`, { channelId: room.channelId, text }))
  const texts = async () => {
    const path = `/rooms/${room.id}/messages?channelId=${room.channelId}`
    const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(path))
    return messages.map(({ text }) => text).toReversed()
  }
  const [first, second] = bots
  return { ...made, first, second, place, say, texts, bot: botOf(server, first) }
}

describe('a bot', () => {
  test('replies to a command in five lines', async () => {
    const { bot, say, texts } = await botFixture()
    bot.command('/deploy', { description: 'Deploy a service', usage: '<service> [version]' }, async (ctx) => {
      const [service, version = 'latest'] = ctx.args
      await ctx.reply(`Deploying **${service}** ${version}…`)
    })
    await bot.start()
    await say('/deploy "the api"')
    await eventually(texts).toEqual(['/deploy "the api"', 'Deploying **the api** latest…'])
  })

  test('declares its commands only when they differ', async () => {
    const { server, first } = await botFixture()
    let puts = 0
    const counting: typeof fetch = async (input, init) => {
      if (init?.method === 'PUT') puts += 1
      return fetch(input, init)
    }
    const start = async (description: string) => {
      const bot = botOf(server, first, { fetch: counting })
      bot
        .command('/deploy', { description, usage: '<service>' }, () => {})
        .command('/help', { description: 'Helps' }, () => {})
      await bot.start()
      const { commands } = await bot.client.listCommands()
      await bot.stop()
      return commands
    }
    expect(await start('Deploy')).toEqual([
      { name: '/deploy', description: 'Deploy', usage: '<service>', position: 1 },
      { name: '/help', description: 'Helps', usage: null, position: 2 },
    ])
    expect(puts).toBe(1)
    await start('Deploy')
    expect(puts).toBe(1)
    expect(await start('Deploy a service')).toMatchObject([{ description: 'Deploy a service' }, {}])
    expect(puts).toBe(2)
  })

  test('and another one with the same command both answer', async () => {
    const { server, second, bot, say, texts } = await botFixture()
    const other = botOf(server, second)
    bot.command('/help', { description: 'Helps' }, (ctx) => ctx.reply('one'))
    other.command('/HELP', { description: 'Helps' }, (ctx) => ctx.reply('two'))
    await Promise.all([bot.start(), other.start()])
    await say('/Help')
    await eventually(async () => (await texts()).toSorted()).toEqual(['/Help', 'one', 'two'])
  })

  test('handles the events of a room in order, and rooms in parallel', async () => {
    const { bot, say, newRoom, room } = await botFixture()
    const slow = room.id
    const fast = (await newRoom('text')).id
    const handled: string[] = []
    let release = (): void => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    bot.on('message.created', async ({ data }) => {
      if (data.message.text === 'slow 1') await held
      handled.push(data.message.text)
    })
    await bot.start()
    await say('slow 1', slow)
    await say('slow 2', slow)
    await say('fast', fast)
    await eventually(() => handled).toEqual(['fast'])
    release()
    await eventually(() => handled).toEqual(['fast', 'slow 1', 'slow 2'])
  })

  test('continues after an error of a handler, and reports it with the event', async () => {
    const { bot, say } = await botFixture()
    const errors: [unknown, BotEvent | undefined][] = []
    const handled: string[] = []
    bot.onError((error, event) => errors.push([error, event]))
    bot.on('message.created', ({ data }) => {
      if (data.message.text === 'bad') throw new Error('can’t')
      handled.push(data.message.text)
    })
    await bot.start()
    await say('bad')
    await say('good')
    await eventually(() => handled).toEqual(['good'])
    expect(errors).toMatchObject([
      [{ message: 'can’t' }, { event: 'message.created', data: { message: { text: 'bad' } } }],
    ])
  })

  test('gets a context that acts on the message', async () => {
    const { bot, say, owner, room, first, give } = await botFixture()
    await give(first, 'CHANNEL_MODERATOR')
    bot.on('message.created', async (_event, ctx) => {
      await ctx.react('👀')
      await ctx.pin({ reason: 'Important' })
    })
    await bot.start()
    const { id } = await say('look')
    type Pins = { messages: { id: string; reactions: object[] }[] }
    const pins = async () =>
      expectOk(await owner.get<Pins>(`/rooms/${room.id}/pins?channelId=${room.channelId}`)).messages
    await eventually(pins).toMatchObject([{ id, reactions: [{ emoji: '👀', count: 1 }] }])
  })

  test('continues where it was when it is started again', async () => {
    const { server, first, say } = await botFixture()
    const positions = memoryPositions()
    const run = async (until: string) => {
      const handled: string[] = []
      const bot = botOf(server, first, { positions })
      bot.on('message.created', ({ data }) => void handled.push(data.message.text))
      await bot.start()
      if (until === 'one') await say('one')
      await eventually(() => handled.at(-1)).toBe(until)
      await bot.stop()
      return handled
    }
    expect(await run('one')).toEqual(['one'])
    await say('two')
    await say('three')
    expect(await run('three')).toEqual(['two', 'three'])
  })

  test('doesn’t reply twice when an event is delivered again, whatever the text is then', async () => {
    const { server, first, say, texts } = await botFixture()
    let since: Position | undefined
    // What a crash leaves: the replies are sent, but the saved position is the old one.
    const positions = { load: async () => since, save: async () => {} }
    const ids: string[] = []
    const run = async (greeting: string) => {
      let replied = 0
      const bot = botOf(server, first, { positions })
      bot.on('connected', (position) => (since = position))
      bot.on('message.created', async (_event, ctx) => {
        ids.push((await ctx.reply(`${greeting} 1`)).id)
        ids.push((await ctx.reply(`${greeting} 2`)).id)
        replied += 1
      })
      await bot.start()
      return { bot, replied: () => replied }
    }
    const before = await run('Hello')
    await say('hi')
    await eventually(before.replied).toBe(1)
    await before.bot.stop()
    const after = await run('Good evening')
    await eventually(after.replied).toBe(1)
    expect(await texts()).toEqual(['hi', 'Hello 1', 'Hello 2'])
    expect(ids.slice(2)).toEqual(ids.slice(0, 2))
  })

  test('reports a gap when it was away for too long', async () => {
    const { server, first } = await botFixture()
    const positions = memoryPositions()
    await positions.save({ epoch: 'another', offset: 5 })
    const bot = botOf(server, first, { positions })
    const gaps: object[] = []
    bot.on('gap', (position) => gaps.push(position))
    await bot.start()
    await eventually(() => gaps).toHaveLength(1)
    await bot.stop()
    expect(await positions.load()).toEqual(gaps[0])
  })

  test('that is displaced by another process stops and says so', async () => {
    const { server, first, bot } = await botFixture()
    const errors: unknown[] = []
    bot.onError((error) => errors.push(error))
    await bot.start()
    const other = botOf(server, first)
    await other.start()
    expect(await bot.closed).toBeInstanceOf(DisplacedError)
    expect(errors).toHaveLength(1)
    expect(String(errors[0])).toContain('Another process uses this key')
  })

  test('doesn’t start with a key that isn’t valid or lacks a scope', async () => {
    const { server, newBot } = await botFixture()
    const locked = botOf(server, { key: 'nonsense' })
    await expect(locked.start()).rejects.toBeInstanceOf(UnauthorizedError)
    expect(await locked.closed).toBeInstanceOf(UnauthorizedError)
    const { key } = await newBot({ scopes: ['messages:read'] })
    await expect(botOf(server, { key }).start()).rejects.toBeInstanceOf(MissingScopeError)
  })
})
