import type { Message, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { expectOk } from '../channel-fixture.ts'

type History = Output<typeof api.listMessages>

/** docs/api-rules.md, “Order of checks” and “Text and names”. */
describe('requests', () => {
  const fixture = botApiFixture()

  test('unknown body fields are ignored, never stored or echoed', async () => {
    const { bot, channel, room } = await fixture
    const at = `/rooms/${room.id}/messages`
    const sent = expectOk(
      await bot.post<Message>(at, { channelId: channel.id, text: 'Hi', id: newId(), pinnedAt: 'now', nonce: { a: 1 } }),
    )
    expect(Object.keys(sent).toSorted()).toEqual(['author', 'createdAt', 'id', 'text'])
    const { messages } = expectOk(await bot.get<History>(`${at}?channelId=${channel.id}&limit=1&nonce=1&nonce=2`))
    expect(messages).toEqual([sent])

    const commands = [{ name: '/a', description: 'A', position: 9, secret: true }]
    const list = { commands: [{ name: '/a', description: 'A', usage: null, position: 1 }] }
    expect(expectOk(await bot.put('/commands', { commands, more: 1 }))).toEqual(list)
    expect(expectOk(await bot.get('/commands'))).toEqual(list)
  })

  describe('DELETE takes channelId', () => {
    const deleting = async () => {
      const { bot, channel, room, messageOf } = await fixture
      return { bot, channelId: channel.id, at: `/rooms/${room.id}/messages/${await messageOf(bot)}` }
    }

    test('in the body', async () => {
      const { bot, channelId, at } = await deleting()
      expect((await bot.delete(at, { channelId })).status).toBe(204)
    })

    test('in the query, without a body or with an empty one of type JSON', async () => {
      const { bot, channelId, at } = await deleting()
      expect((await bot.delete(`${at}?channelId=${channelId}`)).status).toBe(204)
      const other = await deleting()
      const announced = await other.bot.request('DELETE', `${other.at}?channelId=${channelId}`, '')
      expect(announced.status).toBe(204)
    })

    test('in both, when they are equal', async () => {
      const { bot, channelId, at } = await deleting()
      expect((await bot.delete(`${at}?channelId=${channelId.toUpperCase()}`, { channelId })).status).toBe(204)
    })

    test('in both, but not two different ones (400)', async () => {
      const { bot, channelId, at } = await deleting()
      const answer = await bot.delete(`${at}?channelId=${newId()}`, { channelId })
      expect(answer).toMatchObject({
        status: 400,
        body: { field: 'channelId', message: 'channelId: must not differ between body and query' },
      })
      expect((await bot.delete(at, { channelId })).status).toBe(204)
    })

    test('and its other fields likewise: an emoji, a reason', async () => {
      const { bot, channel, room, owner, messageOf } = await fixture
      const at = `/rooms/${room.id}/messages/${await messageOf(owner)}`
      const query = new URLSearchParams({ channelId: channel.id, emoji: '👍' })
      expect((await bot.post(`${at}/reactions`, { channelId: channel.id, emoji: '👍' })).status).toBe(201)
      expect((await bot.delete(`${at}/reactions?${query.toString()}`)).status).toBe(204)
      expect(await bot.delete(at)).toMatchObject({ status: 400, body: { field: 'channelId' } })
    })
  })

  describe('commands', () => {
    const put = async (...names: string[]) => {
      const { bot } = await fixture
      return bot.put('/commands', { commands: names.map((name) => ({ name, description: 'Does it' })) })
    }

    test('are compared without regard to case, Latin and Cyrillic', async () => {
      for (const [first, second] of [
        ['/help', '/Help'],
        ['/погода', '/ПОГОДА'],
        ['/ёлка', '/Ёлка'],
        ['/їжак', '/ЇЖАК'],
      ]) {
        const answer = await put(first ?? '', '/other', second ?? '')
        expect(answer).toMatchObject({ status: 400, body: { field: 'commands.2.name' } })
      }
    })

    test.each(['/a', '/help', '/ПогОда', '/ёж', '/привіт', '/сәлем', '/größe', '/2fa', '/a-b', `/${'x'.repeat(31)}`])(
      '%s is a name',
      async (name) => {
        expect(await put(name)).toMatchObject({ status: 200, body: { commands: [{ name, position: 1 }] } })
      },
    )

    test.each([
      '',
      '/',
      'help',
      '//help',
      '/he lp',
      '/help!',
      '/he_lp',
      '/help\n',
      '/日本',
      '/a\u0301',
      `/${'x'.repeat(32)}`,
    ])('%j is not a name (400)', async (name) => {
      expect(await put(name)).toMatchObject({ status: 400, body: { field: 'commands.0.name' } })
    })

    test('a refused list changes nothing', async () => {
      const { bot } = await fixture
      expectOk(await put('/kept'))
      expect((await put('/new', '/wrong name')).status).toBe(400)
      expect((await put('/new', '/NEW')).status).toBe(400)
      expect(expectOk(await bot.get('/commands'))).toMatchObject({ commands: [{ name: '/kept' }] })
    })
  })
})
