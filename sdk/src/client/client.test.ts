import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk, portal } from '../../../server/test/channel-fixture.ts'
import { signInFixture } from '../../../server/test/sign-in-fixture.ts'
import {
  Client,
  ConnectionError,
  MissingRightError,
  MissingScopeError,
  QuotaError,
  UnauthorizedError,
  UnprocessableError,
  ValidationError,
  type Member,
  type Message,
} from '../index.ts'

async function clientFixture() {
  const made = await channelFixture({ bots: 1, people: 1 })
  const [bot] = made.bots
  const { url } = made.server
  const place = { channelId: made.channel.id, roomId: made.room.id }
  return { ...made, bot, url, place, client: new Client({ url, key: bot.key }) }
}

async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a client', () => {
  test('calls operations by their names', async () => {
    const { client, bot, place, channel } = await clientFixture()
    const sent = await client.sendMessage({ ...place, text: 'Hello' })
    expect(sent).toMatchObject({ text: 'Hello', author: { id: bot.id } })
    await client.addReaction({ ...place, messageId: sent.id, emoji: '👍' })
    const edited = await client.editMessage({ ...place, messageId: sent.id, text: 'Hello again' })
    expect(edited.text).toBe('Hello again')
    expect((await client.listMessages({ ...place, limit: 1 })).messages).toMatchObject([{ text: 'Hello again' }])
    expect(await client.deleteMessage({ ...place, messageId: sent.id })).toBeUndefined()
    expect((await client.getProfile()).channels).toMatchObject([{ id: channel.id }])
  })

  test('iterates over history and members, page by page', async () => {
    const { client, place, owner, people, bot } = await clientFixture()
    for (let number = 1; number <= 5; number += 1) await client.sendMessage({ ...place, text: `line ${number}` })
    const history: Message[] = []
    for await (const message of client.history({ ...place, limit: 2 })) history.push(message)
    expect(history.map(({ text }) => text)).toEqual(['line 5', 'line 4', 'line 3', 'line 2', 'line 1'])

    const members: Member[] = []
    for await (const member of client.members({ channelId: place.channelId, limit: 1 })) members.push(member)
    expect(members.map(({ id }) => id).toSorted()).toEqual([owner.id, people[0].id, bot.id].toSorted())
  })

  test('uploads a file, and shows it with a message', async () => {
    const { client, place, url, owner } = await clientFixture()
    const file = await client.uploadFile({ roomId: place.roomId, name: 'a b.txt', file: new Blob(['Twelve metres']) })
    expect(file).toMatchObject({ name: 'a b.txt', type: 'text/plain', size: 13 })
    await client.sendMessage({ ...place, text: file.markdown })
    const fetched = await fetch(url + file.url, { headers: { cookie: owner.cookie } })
    expect(await fetched.text()).toBe('Twelve metres')
    const nothing = client.uploadFile({ roomId: place.roomId, name: 'a', file: 'text' as unknown as Blob })
    expect(await errorOf(nothing)).toBeInstanceOf(TypeError)
  })

  test('sends a message once if a call is repeated with its idempotency key', async () => {
    const { client, place } = await clientFixture()
    const first = await client.sendMessage({ ...place, text: 'Once' }, { idempotencyKey: 'once' })
    const second = await client.sendMessage({ ...place, text: 'Once' }, { idempotencyKey: 'once' })
    expect(second.id).toBe(first.id)
    expect((await client.listMessages(place)).messages).toHaveLength(1)
  })

  test('ends a call when its signal is aborted, even one that waits for others', async () => {
    const { client, place } = await clientFixture()
    const abort = new AbortController()
    const first = client.sendMessage({ ...place, text: 'first' })
    const second = client.sendMessage({ ...place, text: 'second' }, { signal: abort.signal })
    abort.abort(new Error('not needed'))
    await expect(second).rejects.toThrow('not needed')
    await first
    await client.sendMessage({ ...place, text: 'third' })
    expect((await client.listMessages(place)).messages.map(({ text }) => text)).toEqual(['third', 'first'])
  })

  test('calls the routes of signed-in people with their token', async () => {
    const { site, person, server } = await signInFixture()
    const { access_token: userToken } = await site.tokensFor(person)
    const client = new Client({ url: server.url, userToken })
    expect(await client.getCurrentUser()).toMatchObject({ id: person.id, name: person.name })
    expect(await client.listCurrentUserChannels()).toEqual({ channels: [] })
  })

  test('needs a key or a user token', () => {
    expect(() => new Client({ url: 'http://localhost:3000', key: '' })).toThrow(TypeError)
  })
})

describe('an error', () => {
  test('names the scope that the key lacks, and the request', async () => {
    const { place, newBot, url } = await clientFixture()
    const { key } = await newBot({ scopes: ['messages:read'] })
    const error = await errorOf(new Client({ url, key }).sendMessage({ ...place, text: 'Hello' }))
    expect(error).toBeInstanceOf(MissingScopeError)
    expect(error).toMatchObject({ requiredScope: 'messages:write', operation: 'sendMessage', status: 403 })
    const { message, requestId } = error as MissingScopeError
    expect(message).toContain('Re-issue the key with the scope messages:write.')
    expect(message).toContain(requestId)
  })

  test('names the right that the role lacks', async () => {
    const { client, place, bot, allow } = await clientFixture()
    await allow(bot, 'read_text_room')
    const error = await errorOf(client.sendMessage({ ...place, text: 'Hello' }))
    expect(error).toBeInstanceOf(MissingRightError)
    expect(error).toMatchObject({ requiredRight: 'write_text_room' })
  })

  test('names the field that isn’t valid', async () => {
    const { client, place } = await clientFixture()
    const error = await errorOf(client.sendMessage({ ...place, text: '' }))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({ field: 'text', name: 'ValidationError' })
  })

  test('has the reason why something can’t be done', async () => {
    const { client, place, newRoom } = await clientFixture()
    const roomId = (await newRoom('voice')).id
    const error = await errorOf(client.sendMessage({ ...place, roomId, text: 'Hello' }))
    expect(error).toBeInstanceOf(UnprocessableError)
    expect(error).toMatchObject({ reason: 'wrong_room_type' })
  })

  test('says that the key isn’t valid', async () => {
    const { url, bot, client } = await clientFixture()
    await client.getProfile()
    await bot.reissue()
    expect(await errorOf(client.getProfile())).toBeInstanceOf(UnauthorizedError)
    expect(await errorOf(new Client({ url, userToken: 'nonsense' }).getCurrentUser())).toBeInstanceOf(UnauthorizedError)
  })

  test('says how long to wait when others use up the quota', async () => {
    const { administrator } = await portal()
    const { client, bot } = await clientFixture()
    expectOk(await administrator.put(`/applications/${bot.application.id}/limits`, { requests: 1, writes: 1 }))
    expect((await bot.get('/me')).status).toBe(200)
    const impatient = new Client({ url: client.url, key: bot.key, retries: 0 })
    const error = await errorOf(impatient.getProfile())
    expect(error).toBeInstanceOf(QuotaError)
    const { retryAfterSec } = error as QuotaError
    expect(retryAfterSec).toBeGreaterThan(0)
    expect(retryAfterSec).toBeLessThanOrEqual(60)
  })

  test('says that there is no portal at the address', async () => {
    const error = await errorOf(new Client({ url: 'http://127.0.0.1:9', key: 'k', retries: 0 }).getProfile())
    expect(error).toBeInstanceOf(ConnectionError)
    expect(String(error)).toContain('http://127.0.0.1:9')
  })
})
