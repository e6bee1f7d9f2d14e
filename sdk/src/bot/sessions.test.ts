import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'
import { Bot, filePositions, memoryPositions, sqlitePositions, type BotEvent, type SessionOptions } from '../index.ts'

interface Counter {
  count: number
}

const counter = { initial: (): Counter => ({ count: 0 }) }

async function counterFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const { server, room, bots, owner } = made
  const positions = memoryPositions()
  const errors: [unknown, BotEvent | undefined][] = []
  return {
    ...made,
    positions,
    errors,
    botWith: (session: SessionOptions<Counter> = counter, store = positions) =>
      new Bot({ url: server.url, key: bots[0].key, session, positions: store }).onError((error, event) =>
        errors.push([error, event]),
      ),
    say: async (text: string, from: Pick<typeof owner, 'post'> = owner, roomId = room.id) =>
      expectOk(await from.post(`/rooms/${roomId}/messages`, { channelId: room.channelId, text })),
    texts: async () => {
      const path = `/rooms/${room.id}/messages?channelId=${room.channelId}`
      const { messages } = expectOk(await owner.get<{ messages: { text: string }[] }>(path))
      return messages.map(({ text }) => text).toReversed()
    },
  }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-sdk-session-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('ctx.session', () => {
  const stores = [
    { name: 'memoryPositions', open: () => memoryPositions() },
    { name: 'filePositions', open: () => filePositions(join(temporaryFolder(), 'position.json')) },
    { name: 'sqlitePositions', open: () => sqlitePositions(join(temporaryFolder(), 'bot.db')) },
  ]
  test.each(stores)('is of each person in each room, and survives a restart with $name', async ({ open }) => {
    const { botWith, say, people, room, newRoom, errors } = await counterFixture()
    const store = open()
    const other = (await newRoom('text')).id
    const counts: [string, number][] = []
    const run = async (work: () => Promise<void>, until: number) => {
      const bot = botWith(counter, store)
      onTestFinished(() => bot.stop())
      bot.on('message.created', ({ data }, ctx) => {
        ctx.session.count += 1
        counts.push([data.message.text, ctx.session.count])
      })
      await bot.start()
      await work()
      await eventually(() => counts).toHaveLength(until)
      await bot.stop()
    }
    await run(async () => {
      await say('owner')
      await say('owner')
      await say('other room', undefined, other)
      await say('ada', people[0])
    }, 4)
    expect(new Map(counts)).toEqual(
      new Map([
        ['owner', 2],
        ['other room', 1],
        ['ada', 1],
      ]),
    )
    await say('owner, away')
    await run(() => say('ada again', people[0]).then(() => {}), 6)
    expect(counts.slice(4)).toEqual([
      ['owner, away', 3],
      ['ada again', 2],
    ])
    expect(errors).toEqual([])
    expect(await store.loadSession(`${room.id} ${people[0].id}`)).toBe('{"count":2}')
  })

  test('keeps nothing of a handler that fails, and each change once if it is run again', async () => {
    const { botWith, say, texts, errors } = await counterFixture()
    const bot = botWith()
    onTestFinished(() => bot.stop())
    let attempts = 0
    bot.command('/fail', { description: 'Fails' }, (ctx) => {
      ctx.session.count += 10
      throw new Error('can’t')
    })
    bot.command('/retry', { description: 'Succeeds at the third attempt' }, async (ctx) => {
      ctx.session.count += 1
      attempts += 1
      if (attempts < 3) ctx.retryLater({ afterSec: 0 })
      await ctx.reply(`${ctx.session.count}`)
    })
    bot.hears('reset', { bots: true }, async (ctx) => {
      await ctx.reply(`was ${ctx.session.count}`)
      ctx.session = { count: 100 }
    })
    bot.hears('forget', { bots: true }, (ctx) => Object.assign(ctx, { session: undefined }))
    await bot.start()
    for (const text of ['/fail', '/retry', 'reset', 'reset', 'forget', 'reset']) await say(text)
    await eventually(texts).toHaveLength(10)
    expect((await texts()).filter((text) => /^(was )?\d+$/.test(text))).toEqual(['1', 'was 1', 'was 100', 'was 0'])
    expect(errors).toMatchObject([[{ message: 'can’t' }, {}]])
  })

  test('goes from one handler of an event to the next, around which middleware sees it', async () => {
    const { botWith, say, positions, room, owner } = await counterFixture()
    const bot = botWith()
    onTestFinished(() => bot.stop())
    const seen: number[] = []
    bot.use(async (ctx, next) => {
      await next()
      seen.push(ctx.session.count)
    })
    for (const step of [1, 2]) bot.on('message.created', (_event, ctx) => void (ctx.session.count += step))
    await bot.start()
    await say('hi')
    await say('hi')
    await eventually(() => seen).toEqual([1, 3, 4, 6])
    await bot.stop()
    expect(await positions.loadSession(`${room.id} ${owner.id}`)).toBe('{"count":6}')
  })

  test('is shared by the events of a key, which are handled one after another', async () => {
    const { botWith, say, newRoom, owner, positions, errors } = await counterFixture()
    const key = ({ data }: BotEvent) => ('message' in data ? data.message.author.id : undefined)
    const bot = botWith({ ...counter, key })
    onTestFinished(() => bot.stop())
    bot.on('message.created', async (_event, ctx) => {
      const { count } = ctx.session
      await new Promise((resolve) => setTimeout(resolve, 5))
      ctx.session = { count: count + 1 }
    })
    bot.on('reaction.added', (_event, ctx) => ctx.session.count)
    await bot.start()
    const rooms = [undefined, (await newRoom('text')).id, (await newRoom('text')).id]
    const sent = await Promise.all(rooms.flatMap((roomId) => [1, 2, 3].map(() => say('hi', undefined, roomId))))
    expect(sent).toHaveLength(9)
    await eventually(async () => positions.loadSession(owner.id)).toBe('{"count":9}')
    expect(errors).toEqual([])
  })

  test('is missing with a clear error where an event has none', async () => {
    const { botWith, newPerson, at, errors, server, bots } = await counterFixture()
    const bot = botWith()
    onTestFinished(() => bot.stop())
    bot.on('member.joined', (_event, ctx) => ctx.session.count)
    await bot.start()
    expectOk(await (await newPerson()).post(`${at}/join`))
    await eventually(() => errors).toHaveLength(1)
    expect(String(errors[0]?.[0])).toContain('There is no session for member.joined')
    const positions = { load: async () => undefined, save: async () => {} }
    expect(() => botOf(server, bots[0], { session: counter, positions })).toThrow('can’t keep sessions')
  })

  test('is saved only together with the position, and later if that fails once', async () => {
    const { botWith, say, errors, room, owner } = await counterFixture()
    const folder = temporaryFolder()
    const store = filePositions(join(folder, 'position.json'))
    let failures = 0
    const failing: typeof store = {
      ...store,
      saveState: async (change) => {
        if (change.sessions.size > 0 && (failures += 1) === 1) throw new Error('the disk is full')
        return store.saveState(change)
      },
    }
    const bot = botWith(counter, failing)
    onTestFinished(() => bot.stop())
    bot.on('message.created', (_event, ctx) => void (ctx.session.count += 1))
    await bot.start()
    await say('one')
    await eventually(() => errors).toMatchObject([[{ message: 'the disk is full' }, undefined]])
    expect(await store.loadSession(`${room.id} ${owner.id}`)).toBeUndefined()
    await say('two')
    await eventually(() => store.loadSession(`${room.id} ${owner.id}`)).toBe('{"count":2}')
    await bot.stop()
    const file = JSON.parse(readFileSync(join(folder, 'position.json'), 'utf8')) as object
    expect(file).toMatchObject({
      epoch: expect.any(String) as string,
      sessions: { [`${room.id} ${owner.id}`]: '{"count":2}' },
    })
  })
})
