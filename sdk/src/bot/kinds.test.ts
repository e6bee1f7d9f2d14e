import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { certificate } from '../../../server/test/webhook-receiver.ts'
import { botOf } from '../../test/start-bot.ts'
import { toNodeHandler } from '../index.ts'

await portal({ WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' })

/** A bot that greets who joins, and someone who does. */
async function greeter() {
  const made = await channelFixture({ bots: 2 })
  const { server, bots, at, newPerson } = made
  const bot = botOf(server, bots[0])
  const joined: string[] = []
  bot.on('member.joined', ({ data }) => joined.push(data.user.name))
  return {
    ...made,
    bot,
    joined,
    join: async () => {
      const person = await newPerson()
      expectOk(await person.post(`${at}/join`))
      return person.name
    },
  }
}

describe('a bot with handlers for opt-in events', () => {
  test('gets them by itself over a stream, besides all others', async () => {
    const { owner, room, bot, joined, join } = await greeter()
    const texts: string[] = []
    bot.on('message.created', ({ data }) => texts.push(data.message.text))
    await bot.start()
    const name = await join()
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text: 'Welcome' }))
    await eventually(() => [joined, texts]).toEqual([[name], ['Welcome']])
  })

  test('gets them by itself over a webhook', async () => {
    const { bots, bot, joined, join } = await greeter()
    let handle = toNodeHandler(async () => new Response())
    const server = createServer(await certificate(), (request, response) => handle(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    handle = toNodeHandler(bot.webhook({ secret: (await bot.client.setWebhook({ url })).secret }))
    await bot.start()
    const name = await join()
    await eventually(() => joined).toEqual([name])
    const { kinds = [] } = expectOk(await bots[0].get<{ kinds?: string[] }>('/webhook'))
    expect(kinds).toEqual(expect.arrayContaining(['member.joined', 'message.created']))
    expect(kinds).not.toContain('member.left')
  })

  test('says that a handler comes too late', async () => {
    const { bot } = await greeter()
    await bot.start()
    expect(() => bot.on('member.left', () => {})).toThrow('add its handler before')
  })
})

describe('ctx.author.isBot', () => {
  test('tells bots from people, and asks once', async () => {
    const { server, owner, room, bots, at, newPerson } = await greeter()
    let lists = 0
    const counting: typeof fetch = async (input, init) => {
      if (typeof input === 'string' && input.includes('/members')) lists += 1
      return fetch(input, init)
    }
    const bot = botOf(server, bots[0], { fetch: counting })
    const seen: [string, boolean][] = []
    bot.on('message.created', async (_event, ctx) => seen.push([ctx.author.name, await ctx.author.isBot()]))
    await bot.start()
    const body = { channelId: room.channelId, text: 'Hello' }
    for (let round = 0; round < 2; round += 1) {
      expectOk(await owner.post(`/rooms/${room.id}/messages`, body))
      expectOk(await bots[1].post(`/rooms/${room.id}/messages`, body))
    }
    const both = [
      [owner.name, false],
      [bots[1].name, true],
    ]
    await eventually(() => seen).toEqual([...both, ...both])
    expect(lists).toBe(1)
    const late = await newPerson()
    expectOk(await late.post(`${at}/join`))
    expectOk(await late.post(`/rooms/${room.id}/messages`, body))
    await eventually(() => seen.at(-1)).toEqual([late.name, false])
    expect(lists).toBe(2)
  })
})
