import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectShape } from '../../test/expect-shape.ts'

describe('kickMember', () => {
  test('ends the voice session and access immediately, until an invitation', async () => {
    const { people, bots, owner, at, channel, room, newRoom, allow, publishedEvents } = await channelFixture({
      people: 1,
      bots: 1,
    })
    const [ada] = people
    const [bot] = bots
    await allow(bot, 'kick_member')
    const voice = await newRoom('voice')
    const { code } = expectOk(await owner.post<{ code: string }>(`${at}/invitations`, {}))
    expectOk(await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }))
    const before = (await publishedEvents()).length

    expectShape('kickMember', await bot.delete(`${at}/members/${ada.id}`, { reason: 'Advertising' }))
    expect((await publishedEvents()).slice(before)).toMatchObject([
      { event: 'voice.member_left', data: { roomId: null, user: { id: ada.id } } },
    ])
    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({
      action: 'member.kicked',
      actor: { id: bot.id },
      targetId: ada.id,
      targetName: ada.name,
      reason: 'Advertising',
    })

    for (const answer of [
      await ada.get(at),
      await ada.get(`/rooms/${room.id}/messages?channelId=${channel.id}`),
      await ada.post(`/rooms/${room.id}/messages`, { channelId: channel.id, text: 'Still here?' }),
      await ada.post(`/rooms/${voice.id}/voice`, { channelId: channel.id }),
    ]) {
      expect(answer.status).toBe(403)
    }
    expect(await ada.post(`${at}/join`)).toMatchObject({ status: 403, body: { reason: 'kicked' } })
    expectRefusal(await bot.delete(`${at}/members/${ada.id}`), 'unprocessable', { reason: 'not_a_member' })
    expect((await ada.post(`/invitations/${code}/accept`)).status).toBe(200)
    expect((await ada.get(at)).status).toBe(200)
  })
})
