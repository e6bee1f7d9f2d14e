import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'
import { memoryPositions, type BotOptions } from '../index.ts'

/** A bot whose handler of a message waits until `release` is called with its text. */
async function heldMessages(options: Partial<BotOptions>) {
  const { server, owner, people, room, newRoom, bots } = await channelFixture({ bots: 1, people: 1 })
  const positions = memoryPositions()
  const bot = botOf(server, bots[0], { positions, ...options })
  const [begun, ended]: [string[], string[]] = [[], []]
  const releases = new Map<string, () => void>()
  let isOver = false
  onTestFinished(() => {
    isOver = true
    for (const release of releases.values()) release()
  })
  /** Where events are in the log, by their text. */
  const offsets = new Map<string, number>()
  bot.on('message.created', async ({ id, data }) => {
    const { text } = data.message
    offsets.set(text, Number(id.split('-').at(-1)))
    begun.push(text)
    if (!isOver) await new Promise<void>((resolve) => releases.set(text, resolve))
    ended.push(text)
  })
  await bot.start()
  const say = async (text: string, { by = owner, at = room.id } = {}) =>
    expectOk(await by.post(`/rooms/${at}/messages`, { channelId: room.channelId, text }))
  return {
    begun,
    ended,
    say,
    ada: people[0],
    other: (await newRoom('text')).id,
    release: (...texts: string[]) => texts.forEach((text) => releases.get(text)?.()),
    /** Whether the saved position has passed the event. */
    isPassed: async (text: string) => ((await positions.load())?.offset ?? 0) >= (offsets.get(text) ?? Infinity),
  }
}

describe('the order of events', () => {
  test('is that of each author, in whatever room, with order: author', async () => {
    const { begun, ended, say, ada, other, release, isPassed } = await heldMessages({ order: 'author' })
    await say('owner 1')
    await say('owner 2', { at: other })
    await say('ada 1', { by: ada })
    await eventually(() => begun).toEqual(['owner 1', 'ada 1'])
    release('ada 1')
    await eventually(() => ended).toEqual(['ada 1'])
    // It is the third event, and the first one isn’t finished.
    expect(await isPassed('owner 1')).toBe(false)
    release('owner 1')
    await eventually(() => begun).toEqual(['owner 1', 'ada 1', 'owner 2'])
    await eventually(() => isPassed('owner 1')).toBe(true)
    expect(await isPassed('ada 1')).toBe(false)
    release('owner 2')
    await eventually(() => isPassed('ada 1')).toBe(true)
  })

  test('is none with order: none, and the position doesn’t pass what is unfinished', async () => {
    const { begun, ended, say, release, isPassed } = await heldMessages({ order: 'none' })
    for (const text of ['1', '2', '3']) await say(text)
    await eventually(() => begun).toEqual(['1', '2', '3'])
    release('3', '2')
    await eventually(() => ended).toHaveLength(2)
    expect(await isPassed('1')).toBe(false)
    release('1')
    await eventually(() => isPassed('3')).toBe(true)
  })

  test('has a limit of what is handled at the same time', async () => {
    const { begun, say, release, isPassed } = await heldMessages({ order: 'none', concurrency: 2 })
    const texts = ['1', '2', '3', '4']
    for (const text of texts) await say(text)
    await eventually(() => begun).toEqual(['1', '2'])
    release('2')
    await eventually(() => begun).toEqual(['1', '2', '3'])
    release('1', '3')
    await eventually(() => begun).toEqual(texts)
    release('4')
    await eventually(() => isPassed('4')).toBe(true)
  })

  test('needs a limit of at least one', async () => {
    await expect(heldMessages({ concurrency: 0 })).rejects.toThrow('concurrency must be at least 1')
  })
})
