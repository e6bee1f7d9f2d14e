import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { done, world } from '../../test/world.ts'

describe('listChannelAudit', () => {
  test('lists only what is about a subject, by somebody or to somebody', async () => {
    const { at, owner, people, give, newRole, room } = await world({ people: 2 })
    const [ada, boris] = people
    await give(ada, 'CHANNEL_MODERATOR')
    const role = await newRole('Watch', [])
    done(await owner.put(`${at}/roles/order`, { roleIds: [role.id] }))
    done(await owner.put(`${at}/order`, { rooms: [{ id: room.id }] }))
    done(await ada.put(`${at}/members/${boris.id}/chat-mute`, { reason: 'Advertising' }))

    const actions = async (query: string) => {
      const { entries } = done(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?${query}`))
      return entries.map(({ action }) => action)
    }
    expect(await actions('subject=role')).toEqual(['role.created'])
    expect(await actions('subject=room')).toEqual(['rooms.sorted', 'room.created'])
    expect(await actions(`actorId=${ada.id}`)).toEqual(['member.chat_muted', 'member.joined'])
    expect(await actions(`targetId=${boris.id}`)).toEqual(['member.chat_muted', 'member.joined'])
    expect(await actions(`actorId=${ada.id}&subject=member&limit=1`)).toEqual(['member.chat_muted'])
    expect((await owner.get(`${at}/audit-log?subject=weather`)).status).toBe(400)
  })
})
