import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'

describe('editMessage', () => {
  test('accepts edits for 30 minutes, from bots and people alike', async () => {
    const { server, owner, bots, channel, room } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const at = `/rooms/${room.id}/messages`
    const age = (id: string, interval: string) =>
      server.services.database.pool.query('UPDATE messages SET created_at = now() - $2::interval WHERE id = $1', [
        id,
        interval,
      ])
    for (const author of [bot, owner]) {
      const { id } = expectOk(await author.post<Message>(at, { channelId: channel.id, text: 'First' }))
      const edit = (text: string) => author.patch(`${at}/${id}`, { channelId: channel.id, text })
      await age(id, '29 minutes 50 seconds')
      expect(await edit('Second')).toMatchObject({ status: 200, body: { text: 'Second' } })
      await age(id, '30 minutes 1 second')
      expectRefusal(await edit('Third'), 'unprocessable', {
        message: 'Messages can be edited for 30 minutes.',
        reason: 'too_old_to_edit',
      })
      const { messages } = expectOk(await bot.get<{ messages: Message[] }>(`${at}?channelId=${channel.id}&limit=1`))
      expect(messages).toMatchObject([{ id, text: 'Second', editedAt: expect.any(String) }])
      // An old message can still be deleted.
      expect((await author.delete(`${at}/${id}`, { channelId: channel.id })).status).toBe(204)
    }
  })

  test('applies the rules of a new message to the text', async () => {
    const { call } = await botApiFixture()
    for (const text of ['', ' ', 'a\u0000', 'x'.repeat(4001)]) {
      expect(await call('editMessage', { text })).toMatchObject({ status: 400, body: { field: 'text' } })
    }
    expect((await call('editMessage', { text: '😀'.repeat(4000) })).status).toBe(200)
  })
})
