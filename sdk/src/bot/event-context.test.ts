import { expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { botOf } from '../../test/start-bot.ts'

test('a handler of bot.on needs one argument only, like all others', async () => {
  const { server, owner, room, bots } = await channelFixture({ bots: 1 })
  const bot = botOf(server, bots[0], { session: { initial: () => ({ count: 0 }) } })
  bot.on('message.created', async (ctx) => {
    // Methods work without their object.
    const { reply, react, author, roomId, messageId, data } = ctx
    await reply(`${author.name} wrote ${data.message.text} at ${ctx.timestamp}`)
    await react('👀')
    expect([roomId, messageId, ctx.channelId]).toEqual([room.id, data.message.id, room.channelId])
    ctx.session = { count: 1 }
  })
  const seen: unknown[] = []
  bot.on('message.created', (event, ctx) => {
    // As it has always been.
    const { id, event: name, timestamp, channelId, data } = event
    seen.push([
      name,
      ctx.event.event,
      JSON.parse(JSON.stringify(event)),
      structuredClone(event),
      { ...event },
      ctx.session,
    ])
    expect(JSON.parse(JSON.stringify(ctx.event))).toEqual({ id, event: name, timestamp, channelId, data })
    expect([ctx.id, ctx.timestamp, ctx.data]).toEqual([id, timestamp, data])
  })
  const errors: unknown[] = []
  bot.onError((error) => errors.push(error))
  await bot.start()
  const at = `/rooms/${room.id}/messages`
  expectOk(await owner.post(at, { channelId: room.channelId, text: 'hello' }))
  await eventually(() => [seen.length, errors]).toEqual([1, []])
  const [name, nameInContext, json, clone, copy, session] = seen[0] as unknown[]
  expect([name, nameInContext, session]).toEqual(['message.created', 'message.created', { count: 1 }])
  const keys = ['id', 'event', 'timestamp', 'channelId', 'data'].toSorted()
  for (const each of [json, clone, copy]) expect(Object.keys(each as object).toSorted()).toEqual(keys)
  type History = { messages: { text: string; reactions?: { emoji: string }[] }[] }
  const { messages } = expectOk(await owner.get<History>(`${at}?channelId=${room.channelId}`))
  expect(messages[0]?.text).toMatch(new RegExp(`^${owner.name} wrote hello at \\d{4}-`))
  expect(messages[1]?.reactions?.map(({ emoji }) => emoji)).toEqual(['👀'])
})
