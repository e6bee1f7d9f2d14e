import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../test/channel-fixture.ts'
import { eventually } from '../../test/eventually.ts'

/** That of the fixture's bots. */
const NO_LIMIT = 1_000_000

test('the quota headers name the limit that a request was counted against, although it changed before its body arrived', async () => {
  const { administrator } = await portal()
  const { server, owner, channel, room, bots } = await channelFixture({ bots: 1 })
  const [bot] = bots
  const body = JSON.stringify({ channelId: channel.id, text: 'written slowly' })
  const slow = request(`${server.url}/api/v1/rooms/${room.id}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bot ${bot.key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  })
  slow.write(body.slice(0, 10))
  const used = async (): Promise<number> =>
    expectOk(await owner.get<{ requests: { used: number } }>(`/applications/${bot.application.id}/usage`)).requests.used
  await eventually(used).toBe(1)
  expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, { requests: 60, writes: NO_LIMIT }))
  slow.end(body.slice(10))

  const [answer] = (await once(slow, 'response')) as [IncomingMessage]
  answer.resume()
  expect(answer.statusCode).toBe(201)
  expect(answer.headers).toMatchObject({
    'x-ratelimit-limit': String(NO_LIMIT),
    'x-ratelimit-remaining': String(NO_LIMIT - 1),
  })
})
