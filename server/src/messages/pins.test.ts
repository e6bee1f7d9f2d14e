import { LIMITS, type Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { auditLog, expectAudited } from '../../test/audit-log.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'
import { botApiFixture } from '../../test/bot-api-fixture.ts'
import { expectOk } from '../../test/channel-fixture.ts'

describe('pinMessage and unpinMessage', () => {
  const fixture = botApiFixture()

  const onMessage = async () => {
    const { bot, channel, room, owner, messageOf } = await fixture
    const messageId = await messageOf(owner)
    const at = `/rooms/${room.id}/messages/${messageId}/pin`
    const pin = (reason?: string) => bot.post<{ pinnedAt: string }>(at, { channelId: channel.id, reason })
    const unpin = (reason?: string) => bot.delete(at, { channelId: channel.id, reason })
    return { messageId, pin, unpin }
  }

  test('pin once: a repeated pin returns the same and adds no second audit entry', async () => {
    const { owner } = await fixture
    const { messageId, pin } = await onMessage()
    const first = await pin('Worth reading')
    expectShape('pinMessage', first)
    expect(first.body).toMatchObject({ messageId })
    const entries = (await auditLog(await fixture)).length
    expect((await pin('Once more')).body).toEqual(first.body)
    expect(await auditLog(await fixture)).toHaveLength(entries)
    await expectAudited(await fixture, 'message.pinned', {
      targetId: owner.id,
      reason: 'Worth reading',
      details: { messageId },
    })
  })

  test('unpin with 204, even a message that is not pinned, and write changes to the audit log', async () => {
    const { messageId, pin, unpin } = await onMessage()
    expectOk(await pin())
    expectShape('unpinMessage', await unpin('Old news'))
    await expectAudited(await fixture, 'message.unpinned', { reason: 'Old news', details: { messageId } })
    const entries = (await auditLog(await fixture)).length
    expectShape('unpinMessage', await unpin())
    expect(await auditLog(await fixture)).toHaveLength(entries)
  })

  test('reject a message that is not in the room', async () => {
    const { call, newRoom, messageOf, owner, bot, channel, room } = await fixture
    const elsewhere = await messageOf(owner, (await newRoom('text')).id)
    const deleted = await messageOf(bot)
    expectOk(await bot.delete(`/rooms/${room.id}/messages/${deleted}`, { channelId: channel.id }))
    for (const messageId of [elsewhere, deleted, newId()]) {
      for (const name of ['pinMessage', 'unpinMessage']) {
        expectRefusal(await call(name, { messageId }), 'unprocessable', { reason: 'no_such_message' })
      }
    }
  })

  test('reject the 251st pin, even for concurrent requests', async () => {
    const { server, bot, owner, channel, newRoom, messageOf } = await fixture
    const { id: roomId } = await newRoom('text')
    const ids = await Promise.all(Array.from({ length: 254 }, () => messageOf(owner, roomId)))
    await server.services.database.pool.query('UPDATE messages SET pinned_at = now() WHERE id = ANY ($1)', [
      ids.slice(0, LIMITS.pinsOfRoom - 1),
    ])
    const answers = await Promise.all(
      ids
        .slice(LIMITS.pinsOfRoom - 1)
        .map((id) => bot.post(`/rooms/${roomId}/messages/${id}/pin`, { channelId: channel.id })),
    )
    const byStatus = answers.map(({ status }) => status).toSorted()
    expect(byStatus).toEqual([201, 422, 422, 422, 422])
    const refused = answers.filter(({ status }) => status === 422)
    for (const answer of refused) expectRefusal(answer, 'unprocessable', { reason: 'too_many_pins' })
    // A pinned message may be pinned again, and unpinning one frees a place.
    const again = await bot.post(`/rooms/${roomId}/messages/${ids[0]}/pin`, { channelId: channel.id })
    expect(again.status).toBe(201)
    expectOk(await bot.delete(`/rooms/${roomId}/messages/${ids[0]}/pin`, { channelId: channel.id }))
    expect((await bot.post(`/rooms/${roomId}/messages/${ids[253]}/pin`, { channelId: channel.id })).status).toBe(201)
  })

  test('show pinnedAt in the history while the message is pinned', async () => {
    const { bot, channel, room } = await fixture
    const { messageId, pin, unpin } = await onMessage()
    const shown = async () => {
      const { messages } = expectOk(
        await bot.get<{ messages: Message[] }>(`/rooms/${room.id}/messages?channelId=${channel.id}`),
      )
      return messages.find(({ id }) => id === messageId)
    }
    const { pinnedAt } = expectOk(await pin())
    expect(await shown()).toMatchObject({ pinnedAt })
    expectOk(await unpin())
    expect(await shown()).not.toHaveProperty('pinnedAt')
  })
})
