import { LIMITS, type Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../expect-refusal.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { expectOk, portal, channelFixture } from '../channel-fixture.ts'

/** docs/api-rules.md, “Quotas”, and the limits of the contract. */
describe('limits', () => {
  const fixture = botApiFixture()

  test('all requests: 60 per minute and application, whatever they are and whether they succeed', async () => {
    const { bots, channel } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const paths = ['/me', `/channels/${channel.id}`, '/channels/nonsense', `/rooms/${channel.id}/messages`, '/commands']
    for (let n = 0; n < 60; n += 1) {
      const answer = await bot.get(paths[n % paths.length] ?? '')
      expect(answer.status).not.toBe(429)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(59 - n))
    }
    expect((await bot.get('/me')).status).toBe(429)
  })

  test('what is left is true on every answer, also where nothing is counted', async () => {
    const { bots } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const left = (answer: { headers: Headers }) => answer.headers.get('x-ratelimit-remaining')
    for (let n = 0; n < 3; n += 1) await bot.get('/me')
    expect((await bot.get('/nowhere')).status).toBe(404)
    for (const answer of [
      await bot.get('/nowhere'),
      await bot.post('/me', {}),
      await bot.put('/rooms/nonsense'),
      await bot.get('/openapi.json'),
    ]) {
      expect([left(answer), answer.headers.get('x-ratelimit-limit')]).toEqual(['57', '60'])
    }
    for (const authorization of ['Bot nonsense', 'Bearer nonsense', 'Basic eDp5']) {
      const answer = await bot.get('/nowhere', { authorization })
      expect([answer.status, left(answer)]).toEqual([404, '60'])
    }
    expect(left(await bot.get('/me'))).toBe('56')
  })

  test('the quota is the application’s, not the key’s or the address’s', async () => {
    const { bots } = await channelFixture({ bots: 2, quotas: 'usual' })
    const [bot, other] = bots
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('59')
    await bot.reissue()
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('58')
    expect((await other.get('/me')).headers.get('x-ratelimit-remaining')).toBe('59')
  })

  test('a request that was refused for the quota consumes nothing; a 401 is not counted', async () => {
    const { bots } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await limit(bot.application.id, { requests: 2, writes: 20 })
    expect((await bot.get('/me', { authorization: 'Bot nonsense' })).status).toBe(401)
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('1')
    expect((await bot.get('/me')).headers.get('x-ratelimit-remaining')).toBe('0')
    for (let n = 0; n < 5; n += 1) expect((await bot.get('/me')).status).toBe(429)
    await limit(bot.application.id, { requests: 3, writes: 20 })
    expect((await bot.get('/me')).status).toBe(200)
    expect((await bot.get('/me')).status).toBe(429)
  })

  test('sending: 20 per minute; deleting and replacing the commands count against the same quota', async () => {
    const { bots, channel, room } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    const at = `/rooms/${room.id}/messages`
    const send = () => bot.post<Message>(at, { channelId: channel.id, text: 'Hello' })
    const messages: Message[] = []
    for (let n = 0; n < 18; n += 1) {
      const sent = await send()
      messages.push(expectOk(sent))
      expect(sent.headers.get('x-ratelimit-limit')).toBe('20')
      expect(sent.headers.get('x-ratelimit-remaining')).toBe(String(19 - n))
    }
    const gone = await bot.delete(`${at}/${messages[0]?.id}`, { channelId: channel.id })
    expect([gone.status, gone.headers.get('x-ratelimit-remaining')]).toEqual([204, '1'])
    const listed = await bot.put('/commands', { commands: [] })
    expect([listed.status, listed.headers.get('x-ratelimit-remaining')]).toEqual([200, '0'])

    for (const refused of [
      await send(),
      await bot.delete(`${at}/${messages[1]?.id}`, { channelId: channel.id }),
      await bot.put('/commands', { commands: [{ name: '/late', description: 'Late' }] }),
    ]) {
      const { retryAfterSec } = refused.body as { retryAfterSec: number }
      expectRefusal(refused, 'tooManyRequests', {
        message: `The quota of 20 writes per 60 seconds is used up; wait ${retryAfterSec} s.`,
        retryAfterSec,
      })
      expect(refused.headers.get('x-ratelimit-limit')).toBe('20')
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    }
    const history = expectOk(await bot.get<{ messages: Message[] }>(`${at}?channelId=${channel.id}`))
    expect(history.messages.map(({ id }) => id)).toEqual(
      messages
        .slice(1)
        .map(({ id }) => id)
        .toReversed(),
    )
    expect(expectOk(await bot.get('/commands'))).toEqual({ commands: [] })
  })

  test('edits, reactions, pins and moderation count only against the request quota', async () => {
    const { bot, call } = await fixture
    await limit(bot.application.id, { requests: 1000, writes: 1 })
    expectOk(await call('sendMessage'))
    expect((await call('sendMessage')).status).toBe(429)
    for (const name of [
      'editMessage',
      'addReaction',
      'removeReaction',
      'pinMessage',
      'unpinMessage',
      'muteChat',
      'unmuteChat',
      'moveMember',
      'kickMember',
      'joinVoice',
    ]) {
      const answer = await call(name)
      expect(answer.status, name).toBeLessThan(300)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('1000')
    }
    await limit(bot.application.id, { requests: 1_000_000, writes: 1_000_000 })
  })

  test('quota headers show the tighter quota on routes that count against both', async () => {
    const { bots, channel, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await limit(bot.application.id, { requests: 3, writes: 20 })
    const send = () => bot.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Hello' })
    const headers = async () => {
      const { headers } = await send()
      return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    expect(await headers()).toEqual(['3', '2'])
    await limit(bot.application.id, { requests: 100, writes: 3 })
    expect(await headers()).toEqual(['3', '1'])
    expect(await headers()).toEqual(['3', '0'])
    expect((await bot.get('/me')).headers.get('x-ratelimit-limit')).toBe('100')
  })

  test('an operator can set other limits for one application, and restore the defaults', async () => {
    const { bots, owner } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await limit(bot.application.id, { requests: 7, writes: 3 })
    expect((await bot.get('/me')).headers.get('x-ratelimit-limit')).toBe('7')
    expect(expectOk(await owner.get(`/applications/${bot.application.id}`))).toMatchObject({
      limits: { requests: 7, writes: 3 },
    })
    await limit(bot.application.id, { requests: null, writes: null })
    expect((await bot.get('/me')).headers.get('x-ratelimit-limit')).toBe('60')
    const own = await owner.put(`/applications/${bot.application.id}/limits`, { requests: 1000, writes: 1000 })
    expect(own.status).toBe(403)
  })

  test('commands: up to 25; name up to 32, description 1–120, usage up to 60 characters', async () => {
    const { bot } = await fixture
    const list = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `/c${n}`, description: 'Does' }))
    const put = (commands: object[]) => bot.put('/commands', { commands })
    expect(expectOk(await put(list(25)))).toMatchObject({ commands: { length: 25 } })
    expect(await put(list(26))).toMatchObject({
      status: 400,
      body: { message: 'commands: must be a list of at most 25 commands' },
    })
    const one = (more: object) => put([{ name: '/a', description: 'Does', ...more }])
    expect((await one({ name: `/${'я'.repeat(31)}` })).status).toBe(200)
    expect(await one({ name: `/${'я'.repeat(32)}` })).toMatchObject({ status: 400, body: { field: 'commands.0.name' } })
    expect((await one({ description: '😀'.repeat(120) })).status).toBe(200)
    for (const description of ['', '  ', 'x'.repeat(121), null, undefined, 1]) {
      expect(await one({ description })).toMatchObject({ status: 400, body: { field: 'commands.0.description' } })
    }
    expect((await one({ usage: '😀'.repeat(60) })).status).toBe(200)
    for (const usage of ['x'.repeat(61), 1, 'a\u0000']) {
      expect(await one({ usage })).toMatchObject({ status: 400, body: { field: 'commands.0.usage' } })
    }
  })

  test('the other documented limits match the code', () => {
    expect(LIMITS).toMatchObject({
      messageText: 4000,
      historyPage: 100,
      editSeconds: 30 * 60,
      requestQuota: 60,
      writeQuota: 20,
      quotaWindow: 60,
      requestDeadline: 10,
      requestBody: 262_144,
    })
  })

  test('voice: a room’s userLimit, and none where it is null', async () => {
    const { bot, victim, channel, newRoom, install } = await fixture
    await install(victim)
    const { id } = await newRoom('voice', { userLimit: 1 })
    const join = (by: typeof bot) => by.post(`/rooms/${id}/voice`, { channelId: channel.id })
    expect((await join(bot)).status).toBe(200)
    expect(await join(victim)).toMatchObject({ status: 422, body: { reason: 'room_full' } })
    expect((await join(bot)).status).toBe(200)
  })
})

async function limit(applicationId: string, limits: { requests: number | null; writes: number | null }): Promise<void> {
  const { administrator } = await portal()
  expectOk(await administrator.put(`/applications/${applicationId}/limits`, limits))
}
