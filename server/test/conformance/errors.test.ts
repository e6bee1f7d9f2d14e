import { connect } from 'node:net'
import { ERRORS } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import { expectRefusal } from '../expect-refusal.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { channelFixture } from '../channel-fixture.ts'
import { isBehindNginx } from '../start-server.ts'

/** docs/api-rules.md, “Status codes”. */
describe('errors', () => {
  const fixture = botApiFixture()

  test('has only the documented status codes, and 500 for an internal error', () => {
    const codes = Object.values(ERRORS).map(({ status }) => status)
    expect(codes.toSorted()).toEqual([400, 401, 403, 404, 422, 429, 500, 504])
  })

  test('400: invalid parameters; the message names the field', async () => {
    const { call } = await fixture
    const cases = [
      ['sendMessage', { text: '' }, 'text: must be 1–4000 characters'],
      ['sendMessage', { channelId: 'x' }, 'channelId: must be a UUID'],
      ['sendMessage', { roomId: 'x' }, 'roomId: must be a UUID'],
      ['sendMessage', { text: undefined }, 'text: is required'],
      ['addReaction', { emoji: 'x' }, 'emoji: must be one emoji'],
      ['replaceCommands', { commands: {} }, 'commands: must be a list of at most 25 commands'],
      ['replaceCommands', { commands: [{ name: '/a' }] }, 'commands.0.description: is required'],
      ['getChannel', { channelId: 'x' }, 'channelId: must be a UUID'],
      ['moveMember', { roomId: 'x' }, 'roomId: must be a UUID'],
      ['kickMember', { userId: 'x' }, 'userId: must be a UUID'],
    ] as const
    for (const [name, values, message] of cases) {
      expectRefusal(await call(name, values), 'badRequest', { message, field: message.split(':')[0] ?? '' })
    }
  })

  test.each([
    ['a body of another content type', 'text=Hello', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a body of no content type', 'text', { 'content-type': '' }],
    ['text/plain that is JSON', '{}', { 'content-type': 'text/plain' }],
    ['malformed JSON', '{"text":', {}],
    ['JSON that ends early', '{"text":"a"', {}],
    ['bytes that are not UTF-8', Uint8Array.from([0x22, 0xff, 0x22]), {}],
    ['a list', '[]', {}],
    ['a string', '"text"', {}],
    ['a number', '1', {}],
    ['more than 256 KiB', JSON.stringify({ text: 'x'.repeat(256 * 1024) }), {}],
  ])('400: %s', async (_what, body, headers) => {
    const { bot, room } = await fixture
    const answer = await bot.request('POST', `/rooms/${room.id}/messages`, body, headers)
    expectRefusal(answer, 'badRequest', {
      field: expect.stringMatching(/^(body|content-type)$/),
    })
  })

  test('a body of exactly 256 KiB is read', async () => {
    const { bot, channel, room } = await fixture
    const small = JSON.stringify({ channelId: channel.id, text: 'Hi', padding: '' })
    const padding = 'x'.repeat(256 * 1024 - small.length)
    const whole = JSON.stringify({ channelId: channel.id, text: 'Hi', padding })
    expect(whole).toHaveLength(256 * 1024)
    expect((await bot.request('POST', `/rooms/${room.id}/messages`, whole)).status).toBe(201)
    expect((await bot.request('POST', `/rooms/${room.id}/messages`, `${whole} `)).status).toBe(400)
  })

  test('401: a key that is missing, wrong or revoked, or sent in another way', async () => {
    const { newBot } = await fixture
    const bot = await newBot()
    const { key } = bot
    const last = key.at(-1) === 'a' ? 'b' : 'a'
    for (const authorization of [
      '',
      'Bot',
      'Bot ',
      `Bearer ${key}`,
      `Basic ${key}`,
      key,
      `Bot  ${key}`,
      `Bot ${key} more`,
      `Bot ${key.slice(0, -1)}`,
      `Bot ${key.slice(0, -1)}${last}`,
      `Bot ${key.toUpperCase()}`,
      `Bot ${'x'.repeat(5000)}`,
    ]) {
      const answer = await bot.get('/me', { authorization })
      expectRefusal(answer, 'unauthorized', {}, authorization)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('60')
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await bot.get('/me', { authorization: `bot ${key}` })).status).toBe(200)
    expect((await bot.delete('/key')).status).toBe(204)
    expectRefusal(await bot.get('/me'), 'unauthorized')
  })

  test('403: with requiredScope, with requiredRight, or with neither where the application is not installed', async () => {
    const { bot, call, allow, give } = await fixture
    expectRefusal(await call('getChannel', { channelId: newId() }), 'forbidden', { reason: 'not_a_member' })
    await allow(bot)
    expectRefusal(await call('sendMessage'), 'forbidden', { requiredRight: 'write_text_room' })
    await bot.reissue([])
    expectRefusal(await call('sendMessage'), 'forbidden', { requiredScope: 'messages:write' })
    await bot.reissue()
    await give(bot, 'CHANNEL_ADMIN')
  })

  test.each(['editMessage', 'deleteMessage'])(
    '403: one answer of %s for a message that is not one’s own, deleted, of another room or not there',
    async (name) => {
      const { bot, call, owner, room, channel, messageOf, newRoom } = await fixture
      const deleted = await messageOf(bot)
      expect((await bot.delete(`/rooms/${room.id}/messages/${deleted}`, { channelId: channel.id })).status).toBe(204)
      const other = await newRoom('text')
      for (const messageId of [await messageOf(owner), deleted, await messageOf(bot, other.id), newId()]) {
        expectRefusal(await call(name, { messageId }), 'forbidden', {
          message: 'You have no such message in this room.',
          reason: 'not_your_message',
        })
      }
    },
  )

  test.each([
    ['GET', '/nothing'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/me/'],
    ['POST', '/me'],
    ['PATCH', '/commands'],
    ['OPTIONS', '/me'],
    ['PROPFIND', '/me'],
    ['DELETE', '/rooms'],
    ['PUT', `/rooms/${newId()}/messages`],
    ['POST', `/channels/${newId()}/join`],
    ['GET', '/users/@me/nothing'],
  ])('404: an unknown route or method: %s %s', async (method, path) => {
    const { bot } = await fixture
    const known = await bot.get('/me')
    const answer = await bot.request(method, path)
    expectRefusal(answer, 'notFound')
    expect(answer.headers.get('x-ratelimit-limit')).toBe(known.headers.get('x-ratelimit-limit'))
    expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeGreaterThanOrEqual(
      Number(known.headers.get('x-ratelimit-remaining')),
    )
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each([
    ['POST', '/me', 'GET, HEAD'],
    ['OPTIONS', '/me', 'GET, HEAD'],
    ['PATCH', '/commands', 'GET, HEAD, PUT'],
    ['PUT', `/rooms/${newId()}/messages`, 'GET, HEAD, POST'],
    ['GET', `/rooms/x/messages/y?channelId=z`, 'DELETE, PATCH'],
    ['DELETE', '/nothing', null],
    ['GET', `/rooms/${newId()}/messages/`, null],
  ])('404: %s %s names the methods that the path takes: %s', async (method, path, allowed) => {
    const { bot } = await fixture
    const answer = await bot.request(method, path)
    expectRefusal(answer, 'notFound')
    expect(answer.headers.get('allow')).toBe(allowed)
  })

  test.each([
    ['malformed JSON', 'POST', '{"text":', { 'content-type': 'application/json' }],
    ['another content type', 'POST', 'text', { 'content-type': 'text/plain' }],
    ['too large a body', 'PUT', 'x'.repeat(257 * 1024), { 'content-type': 'application/json' }],
    ['a method that needs a content type', 'QUERY', undefined, {}],
  ])('404: an unknown route, whatever is sent to it: %s', async (_what, method, body, headers) => {
    const { bot } = await fixture
    expectRefusal(await bot.request(method, '/nothing', body, headers), 'notFound')
  })

  test('an unknown expectation is ignored', async () => {
    const { server, bot } = await fixture
    const lines = ['GET /api/v1/me HTTP/1.1', 'Host: x', 'Connection: close', 'Expect: the unexpected']
    const response = await raw(server.url, [...lines, `Authorization: Bot ${bot.key}`, '', ''].join('\r\n'))
    expect(response).toContain('HTTP/1.1 200 OK')
  })

  // In the following three, nginx answers in place of a node.
  test.skipIf(isBehindNginx)(
    '400: an address that cannot be read has the error shape and the headers, too',
    async () => {
      const { bot } = await fixture
      for (const path of ['/rooms/%zz/messages', '/channels/%ff', '/%']) {
        const answer = await bot.get(path)
        expectRefusal(answer, 'badRequest')
        expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
        expect(answer.headers.get('x-ratelimit-remaining')).toBe('60')
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      }
    },
  )

  test.skipIf(isBehindNginx)('400: something that isn’t HTTP at all', async () => {
    const { server } = await fixture
    const long = 'x'.repeat(20_000)
    for (const bytes of [
      `GET /api/v1/me?${long} HTTP/1.1\r\n\r\n`,
      'FOO /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n',
      'nonsense\r\n\r\n',
    ]) {
      const [head = '', body = ''] = (await raw(server.url, bytes)).split('\r\n\r\n')
      expect(head).toContain('HTTP/1.1 400 Bad Request')
      expect(head.toLowerCase()).toContain('x-request-id: ')
      expect(head.toLowerCase()).toContain('x-ratelimit-remaining: 60')
      expect(JSON.parse(body)).toEqual({ error: 'Bad Request', status: 'error', message: ERRORS.badRequest.message })
    }
  })

  test.skipIf(isBehindNginx)('400: a request without a Host header', async () => {
    const { server, bot } = await fixture
    const lines = ['GET /api/v1/me HTTP/1.1', 'Connection: close', `Authorization: Bot ${bot.key}`]
    const [head = '', body = ''] = (await raw(server.url, [...lines, '', ''].join('\r\n'))).split('\r\n\r\n')
    expect(head).toContain('HTTP/1.1 400 Bad Request')
    expect(head.toLowerCase()).toContain('x-ratelimit-remaining: ')
    expect(JSON.parse(body)).toMatchObject({ error: 'Bad Request', status: 'error', field: 'host' })
  })

  test('422: valid but cannot be done: wrong room, missing message or member', async () => {
    const { call, rooms } = await fixture
    expectRefusal(await call('sendMessage', { roomId: rooms.voice }), 'unprocessable', { reason: 'wrong_room_type' })
    expectRefusal(await call('sendMessage', { roomId: newId() }), 'unprocessable', { reason: 'no_such_room' })
    expectRefusal(await call('pinMessage', { messageId: newId() }), 'unprocessable', { reason: 'no_such_message' })
    expectRefusal(await call('kickMember', { userId: newId() }), 'unprocessable', { reason: 'not_a_member' })
  })

  test('429: Retry-After equals retryAfterSec, and the message states the limit', async () => {
    const { bots } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const answers = await Promise.all(Array.from({ length: 61 }, () => bot.get('/me')))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    for (const answer of refused) {
      const { retryAfterSec } = answer.body as { retryAfterSec: number }
      expectRefusal(answer, 'tooManyRequests', {
        retryAfterSec,
        message: `The quota of 60 requests per 60 seconds is used up; wait ${retryAfterSec} s.`,
      })
      expect(answer.headers.get('retry-after')).toBe(String(retryAfterSec))
      expect(retryAfterSec).toBeGreaterThanOrEqual(1)
      expect(retryAfterSec).toBeLessThanOrEqual(60)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
      expect(answer.headers.get('x-ratelimit-remaining')).toBe('0')
    }
  })
})

function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes))
    socket.on('data', (chunk) => (response += chunk.toString()))
    socket.on('end', () => resolve(response))
    socket.on('error', reject)
  })
}
