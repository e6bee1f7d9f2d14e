import { messageUpdated, type Message } from '@portico/contract'
import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { OpenPortal } from '../../../server/test/open-portal.ts'
import { botOf } from '../../test/start-bot.ts'
import { ConnectionError, type CommandContext, type FinishedMessage } from '../index.ts'

/** A bot whose command is handled like this, and what is in the room when a message has ended. */
async function streamFixture(handle: (ctx: CommandContext) => unknown, fetch = globalThis.fetch) {
  const made = await channelFixture({ bots: 1 })
  const { server, owner, bots, room } = made
  const bot = botOf(server, bots[0], { fetch })
  const ended = Promise.withResolvers<unknown>()
  bot.onError((error) => ended.reject(error))
  bot.command('/think', { description: 'Thinks' }, async (ctx) => {
    const result = await handle(ctx)
    ended.resolve(result)
  })
  await bot.start()
  const open = await OpenPortal.of(server, owner)
  const path = `/rooms/${room.id}/messages`
  const { id: questionId } = expectOk(
    await owner.post<Message>(path, { channelId: room.channelId, text: '/think deeply' }),
  )
  const messages = async () => {
    const page = await bots[0].get<{ messages: Message[] }>(`${path}?channelId=${room.channelId}`)
    return expectOk(page).messages.filter(({ author }) => author.id === bots[0].id)
  }
  return { ...made, bot, open, ended: ended.promise, questionId, messages }
}

test('a handler replies piece by piece, faster than the portal takes pieces', async () => {
  let appends = 0
  const counting: typeof fetch = (input, init) => {
    if (pathOf(input).endsWith('/append')) appends += 1
    return fetch(input, init)
  }
  const pieces = Array.from({ length: 300 }, (_, at) => ` ${at} 🟢`)
  const { ended, messages, questionId } = await streamFixture(async (ctx) => {
    const stream = await ctx.stream()
    expect(stream.messageId).toBeUndefined()
    await stream.append('\n')
    for (const piece of pieces) {
      // A model may cut a character in two.
      await stream.append(piece.slice(0, -1))
      await stream.append(piece.slice(-1))
    }
    return stream.finish()
  }, counting)
  const text = `\n${pieces.join('')}`
  expect(await ended).toMatchObject({ text })
  const [message] = await messages()
  expect(message).toMatchObject({ text, replyToId: questionId })
  expect(message).not.toHaveProperty('streaming')
  expect(appends).toBeLessThan(100)
})

test('a handler passes on what something else generates, and what that fails with', async () => {
  async function* model(): AsyncGenerator<string> {
    yield 'It '
    yield 'thinks'
    throw new RangeError('out of tokens')
  }
  const { open, messages, ended } = await streamFixture(async (ctx) => {
    const finished: FinishedMessage | undefined = await ctx.stream(['All', ' ', 'done'])
    expect(finished?.text).toBe('All done')
    expect(await ctx.stream(['', '  '])).toBeUndefined()
    await ctx.stream(model())
  })
  await expect(ended).rejects.toThrow('out of tokens')
  await open.next(messageUpdated)
  expect((await open.next(messageUpdated)).data.message).toMatchObject({ text: 'It thinks', streaming: 'interrupted' })
  expect((await messages()).map(({ text, streaming }) => [text, streaming])).toEqual([
    ['It thinks', 'interrupted'],
    ['All done', undefined],
  ])
})

test('nothing is appended twice if an answer is lost', async () => {
  let lost = 0
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (/\/(append|finish|streams)$/.test(pathOf(input)) && (lost += 1) % 2 === 1) throw new TypeError('fetch failed')
    return response
  }
  const { ended, messages } = await streamFixture((ctx) => ctx.stream(['one', ' two', ' three']), losing)
  expect(await ended).toMatchObject({ text: 'one two three' })
  expect((await messages()).map(({ text }) => text)).toEqual(['one two three'])
  expect(lost).toBeGreaterThan(4)
})

test('a handler that is run again continues its message, or begins another if it has another text', async () => {
  let runs = 0
  const { ended, messages } = await streamFixture(async (ctx) => {
    runs += 1
    const same = await ctx.stream()
    const other = await ctx.stream()
    await same.append('Always')
    await other.append(`Run ${runs}`)
    if (runs === 1) {
      while (!same.messageId || !other.messageId) await new Promise((resolve) => setTimeout(resolve, 10))
      throw new ConnectionError('the model is away', { problem: 'refused' })
    }
    await same.append(' the same')
    await same.finish()
    return other.finish()
  })
  expect(await ended).toMatchObject({ text: 'Run 2' })
  expect((await messages()).map(({ text, streaming }) => [text, streaming]).toSorted()).toEqual([
    ['Always the same', undefined],
    ['Run 1', 'writing'],
    ['Run 2', undefined],
  ])
})

test('a stream refuses more than a message can have, and text after its end', async () => {
  const { ended } = await streamFixture(async (ctx) => {
    const stream = await ctx.stream()
    await stream.append('a'.repeat(4000))
    await expect(stream.append('b')).rejects.toThrow('at most 4000 characters')
    await stream.finish()
    await expect(stream.append('c')).rejects.toThrow('has ended')
    return 'checked'
  })
  expect(await ended).toBe('checked')
})

/** The client requests addresses as text. */
function pathOf(input: Parameters<typeof fetch>[0]): string {
  return typeof input === 'string' ? input : ''
}
