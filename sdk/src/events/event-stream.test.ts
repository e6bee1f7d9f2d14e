import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { channelFixture, expectOk } from '../../../server/test/channel-fixture.ts'
import { eventually } from '../../../server/test/eventually.ts'
import { startRelay } from '../../../server/test/relay.ts'
import { mintEventToken, readEventToken } from '../../../server/src/websocket/event-token.ts'
import { botOf } from '../../test/start-bot.ts'
import { StreamClosedError, UnauthorizedError, type BotOptions } from '../index.ts'
import type { WebSocketConstructor } from './web-socket.ts'

async function streamFixture(options: Partial<BotOptions> = {}) {
  const made = await channelFixture({ bots: 1 })
  const { owner, room, bots, server } = made
  const relay = await startRelay(server.url)
  const handled: string[] = []
  const bot = botOf(relay, bots[0], options)
  bot.on('message.created', ({ data }) => void handled.push(data.message.text))
  const say = async (text: string) =>
    expectOk(await owner.post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
  return { ...made, relay, bot, application: bots[0], handled, say }
}

describe('the event stream', () => {
  test.each<[string, WebSocketConstructor | undefined]>([
    ['the platform’s WebSocket', undefined],
    ['the package ws', WebSocket],
  ])('recovers what was missed while the connection was lost, with %s', async (_, webSocket) => {
    const { bot, relay, handled, say } = await streamFixture({ webSocket })
    const lifecycle: string[] = []
    bot.on('connected', () => void lifecycle.push('connected')).on('disconnected', () => void lifecycle.push('lost'))
    await bot.start()
    const sent: string[] = []
    for (let number = 1; number <= 12; number += 1) {
      if (number % 4 === 0) relay.cut()
      await say(`line ${number}`)
      sent.push(`line ${number}`)
      if (number % 4 === 1) await eventually(() => handled.at(-1)).toBe(`line ${number}`)
    }
    await eventually(() => handled).toEqual(sent)
    expect(lifecycle).toEqual(['connected', 'lost', 'connected', 'lost', 'connected', 'lost', 'connected'])
  })

  test('renews its token before it expires, on the same connection', async () => {
    let tokens = 0
    let firstExpires = 0
    const { server, bot, handled, say } = await streamFixture({
      // The portal's tokens, except that they expire after a few seconds.
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!response.url.endsWith('/events/token')) return response
        const body = (await response.json()) as { token: string }
        const claims = readEventToken(server.services.secret, body.token)
        if (!claims) throw new Error('the portal issued a token that it doesn’t accept')
        const now = Math.floor(Date.now() / 1000)
        const expiresAt = tokens === 0 ? (firstExpires = now + 10) : now + 600
        tokens += 1
        return Response.json({ ...body, token: mintEventToken(server.services.secret, { ...claims, expiresAt }) })
      },
    })
    let losses = 0
    bot.on('disconnected', () => void (losses += 1))
    await bot.start()
    expect(tokens).toBe(1)
    await eventually(() => tokens).toBe(2)
    await eventually(() => Date.now() / 1000 > firstExpires + 2).toBe(true)
    await say('still here')
    await eventually(() => handled).toEqual(['still here'])
    expect([tokens, losses]).toEqual([2, 0])
  })

  test('ends when the key is re-issued', async () => {
    const { bot, application } = await streamFixture()
    const errors: unknown[] = []
    bot.onError((error) => errors.push(error))
    await bot.start()
    await application.reissue()
    const reason = await bot.closed
    expect(reason instanceof StreamClosedError || reason instanceof UnauthorizedError).toBe(true)
    expect(errors).toEqual([reason])
  })
})
