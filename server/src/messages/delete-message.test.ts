import type { Message } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { channelFixture, expectOk } from '../../test/channel-fixture.ts'

describe('deleteMessage', () => {
  test('is for the author and for moderators, and the audit log has what moderators deleted', async () => {
    const { people, owner, at, room, channel, give } = await channelFixture({ people: 2 })
    const [ada, ben] = people
    const messages = `/rooms/${room.id}/messages`
    const channelId = channel.id
    const { id } = expectOk(await ada.post<Message>(messages, { channelId, text: 'Hello' }))
    expect((await ben.patch(`${messages}/${id}`, { channelId, text: 'Mine' })).status).toBe(403)
    expect((await ben.delete(`${messages}/${id}`, { channelId })).status).toBe(403)
    await give(ben, 'CHANNEL_MODERATOR')
    expect((await ben.patch(`${messages}/${id}`, { channelId, text: 'Mine' })).status).toBe(403)
    expect((await ben.delete(`${messages}/${id}`, { channelId })).status).toBe(204)
    expect(expectOk(await ada.get(`${messages}?channelId=${channelId}`))).toMatchObject({ messages: [] })
    const { entries } = expectOk(await owner.get<{ entries: unknown[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({ action: 'message.deleted', actor: { id: ben.id }, targetId: ada.id })
  })
})
