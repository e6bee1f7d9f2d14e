import type { Message, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/operations/ids.ts'
import { botApiFixture } from '../bot-api-fixture.ts'
import { expectOk } from '../channel-fixture.ts'

type History = Output<typeof api.listMessages>

/** Decisions, part 1: the bullets below the order of checks, one after the other. */
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

    test('in the query, with no body and with an empty one that is announced as JSON', async () => {
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
        body: { field: 'channelId', message: 'channelId: differs between body and query' },
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

  describe('text', () => {
    const send = async (text: unknown) => {
      const { bot, channel, room } = await fixture
      return bot.post<Message>(`/rooms/${room.id}/messages`, { channelId: channel.id, text })
    }
    const refusedAs = (rule: string) => ({ status: 400, body: { field: 'text', message: `text: ${rule}` } })
    const refused = refusedAs('must be 1–4000 characters')

    test('is counted in code points: 4000 emoji fit, 4001 do not', async () => {
      expect(expectOk(await send('😀'.repeat(4000))).text).toBe('😀'.repeat(4000))
      expect(await send('😀'.repeat(4001))).toMatchObject(refused)
      expect(expectOk(await send('x'.repeat(4000))).text).toHaveLength(4000)
      expect(await send('x'.repeat(4001))).toMatchObject(refused)
    })

    test.each([' ', '\n\t\r ', '\u00a0\u2003\u3000', '\ufeff', '\u2028'])(
      'blank after trimming is 400: %j',
      async (text) => {
        expect(await send(text)).toMatchObject(refusedAs('must not be blank'))
      },
    )

    test('with U+0000 or half a surrogate pair is 400', async () => {
      for (const text of ['a\u0000b', '\u0000', 'a\ud800', '\udc00b', '😀'.slice(0, 1)]) {
        expect(await send(text)).toMatchObject(refusedAs('must be well-formed Unicode without U+0000'))
      }
    })

    test('with bytes that are not UTF-8 is 400: they are never replaced', async () => {
      const { bot, channel, room } = await fixture
      const [head = '', tail = ''] = JSON.stringify({ channelId: channel.id, text: 'caf|' }).split('|')
      for (const bytes of [[0xe9], [0xff], [0xc3], [0xed, 0xa0, 0x80]]) {
        const body = Uint8Array.from([...Buffer.from(head), ...bytes, ...Buffer.from(tail)])
        expect(await bot.request('POST', `/rooms/${room.id}/messages`, body)).toMatchObject({
          status: 400,
          body: { field: 'body', message: 'body: must be valid JSON in UTF-8' },
        })
      }
    })

    test('empty, of another type, or missing, is 400', async () => {
      for (const text of ['', 1, true, null, ['a'], { a: 1 }]) expect(await send(text)).toMatchObject(refused)
      expect(await send(undefined)).toMatchObject({ status: 400, body: { message: 'text: must be given' } })
    })

    test('comes back exactly as it was sent', async () => {
      const { bot, channel, newRoom } = await fixture
      const at = `/rooms/${(await newRoom('text')).id}/messages`
      const texts = [
        '  kept  ',
        'a\nb\tc',
        'e\u0301',
        '\u202eright to left',
        '**bold** _it_ `x` [l](http://l)',
        '"\\/<>&\u2028',
      ]
      for (const text of texts) expectOk(await bot.post(at, { channelId: channel.id, text }))
      const { messages } = expectOk(await bot.get<History>(`${at}?channelId=${channel.id}`))
      expect(messages.map(({ text }) => text).toReversed()).toEqual(texts)
    })

    test('an edit is held to the same rules', async () => {
      const { call } = await fixture
      for (const text of ['', ' ', 'a\u0000', 'x'.repeat(4001)]) {
        expect(await call('editMessage', { text })).toMatchObject({ status: 400, body: { field: 'text' } })
      }
      expect((await call('editMessage', { text: '😀'.repeat(4000) })).status).toBe(200)
    })
  })

  describe('beforeId and limit', () => {
    const room = async (count: number) => {
      const { server, bot, channel, newRoom } = await fixture
      const { id: roomId } = await newRoom('text')
      const ids = Array.from({ length: count }, () => newId())
      const created_at = new Date().toISOString()
      await server.services.database.kysely
        .insertInto('messages')
        .values(
          ids.map((id, n) => ({
            id,
            channel_id: channel.id,
            room_id: roomId,
            author_id: bot.id,
            text: `${n}`,
            created_at,
          })),
        )
        .execute()
      const at = `/rooms/${roomId}/messages`
      const page = (query: string) => bot.get<History>(`${at}?channelId=${channel.id}${query}`)
      return { bot, channel, at, ids: ids.toReversed(), page }
    }

    test('the default limit is 50, the most 100', async () => {
      const { ids, page } = await room(101)
      expect(expectOk(await page('')).messages.map(({ id }) => id)).toEqual(ids.slice(0, 50))
      expect(expectOk(await page('&limit=100')).messages).toHaveLength(100)
      expect(expectOk(await page('&limit=1')).messages).toHaveLength(1)
      for (const limit of ['0', '101', '-1', '1.5', 'ten', '', 'null', '1e9', '0x10', ' 5', '5&limit=6']) {
        expect(await page(`&limit=${limit}`), limit).toMatchObject({ status: 400, body: { field: 'limit' } })
      }
    })

    test('beforeId of a deleted message still works as a cursor', async () => {
      const { bot, channel, at, ids, page } = await room(5)
      expectOk(await bot.delete(`${at}/${ids[2]}`, { channelId: channel.id }))
      const { messages, hasMore } = expectOk(await page(`&beforeId=${ids[2]}`))
      expect([messages.map(({ id }) => id), hasMore]).toEqual([ids.slice(3), false])
    })

    test('beforeId of another room, or of no message, is 422', async () => {
      const { page } = await room(1)
      const other = await room(1)
      for (const beforeId of [other.ids[0], newId()]) {
        expect(await page(`&beforeId=${beforeId}`)).toMatchObject({ status: 422, body: { reason: 'no_such_message' } })
      }
    })

    test('hasMore is exact at the edges', async () => {
      const { ids, page } = await room(4)
      expect(expectOk(await page('&limit=4')).hasMore).toBe(false)
      expect(expectOk(await page('&limit=3')).hasMore).toBe(true)
      expect(expectOk(await page(`&limit=3&beforeId=${ids[0]}`)).hasMore).toBe(false)
      expect(expectOk(await page(`&beforeId=${ids[3]}`))).toEqual({ messages: [], hasMore: false })
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
