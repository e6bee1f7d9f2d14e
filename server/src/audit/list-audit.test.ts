import type { AuditEntry } from '@portico/contract'
import { describe, expect, test, vi } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('listChannelAudit', () => {
  test('filters by subject, actor and target', async () => {
    const { at, owner, people, give, newRole, room } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    await give(ada, 'CHANNEL_MODERATOR')
    const role = await newRole('Watch', [])
    expectOk(await owner.put(`${at}/roles/order`, { roleIds: [role.id] }))
    expectOk(await owner.put(`${at}/order`, { rooms: [{ id: room.id }] }))
    expectOk(await ada.put(`${at}/members/${boris.id}/chat-mute`, { reason: 'Advertising' }))

    const actions = async (query: string) => {
      const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?${query}`))
      return entries.map(({ action }) => action)
    }
    expect(await actions('subject=role')).toEqual(['role.created'])
    expect(await actions('subject=room')).toEqual(['rooms.sorted', 'room.created'])
    expect(await actions(`actorId=${ada.id}`)).toEqual(['member.chat_muted', 'member.joined'])
    expect(await actions(`targetId=${boris.id}`)).toEqual(['member.chat_muted', 'member.joined'])
    expect(await actions(`actorId=${ada.id}&subject=member&limit=1`)).toEqual(['member.chat_muted'])
    expect((await owner.get(`${at}/audit-log?subject=weather`)).status).toBe(400)
  })

  test('orders entries by the clock of the database, which the nodes of a cluster share', async () => {
    const { at, owner, server } = await channelFixture()
    const now = Date.now
    const ahead = vi.spyOn(Date, 'now').mockImplementation(() => now() + 5000)
    try {
      expectOk(await owner.patch(at, { name: 'Workshops' }))
    } finally {
      ahead.mockRestore()
    }
    const { rows } = await server.services.database.pool.query<{ isPast: boolean }>(
      `SELECT id < first_id_at(clock_timestamp()) AS "isPast" FROM audit_log WHERE action = 'channel.updated' AND channel_id = $1`,
      [at.split('/').at(-1)],
    )
    expect(rows).toEqual([{ isPast: true }])
  })

  describe('of a private room', () => {
    /** A private room, a member whom it admits, a moderator whom it doesn't, and what each of them reads in the log. */
    async function closet() {
      const made = await channelFixture({ people: 3, bots: 1 })
      const { at, owner, people, newRoom, newRole, role, give } = made
      const [admitted, outsider, talker] = people
      for (const person of [admitted, outsider]) await give(person, 'CHANNEL_MODERATOR')
      const room = await newRoom('text', { private: true })
      const here = `${at}/rooms/${room.id}`
      const guests = await newRole('Guests', [])
      const admissions = { roleIds: [guests.id], memberIds: [owner.id, admitted.id, talker.id] }
      expectOk(await owner.put(`${here}/admissions`, admissions))
      expectOk(await owner.patch(here, { topic: 'Who is to go' }))
      const override = `${here}/overrides/${(await role('CHANNEL_MEMBER')).id}`
      expectOk(await owner.put(override, { allow: [], deny: ['react_text_msg'] }))
      const inRoom = `/rooms/${room.id}/messages`
      const said = await talker.post<{ id: string }>(inRoom, { channelId: made.channel.id, text: 'hush' })
      expectOk(await admitted.post(`${inRoom}/${expectOk(said).id}/pin`, { channelId: made.channel.id }))
      expectOk(await admitted.delete(`${inRoom}/${expectOk(said).id}`, { channelId: made.channel.id }))

      const read = async (who: typeof owner, query = '') =>
        expectOk(await who.get<{ entries: AuditEntry[]; hasMore: boolean }>(`${at}/audit-log?limit=100${query}`))
      const about = async (who: typeof owner, query?: string) => {
        const { entries } = await read(who, query)
        return entries.filter((entry) => JSON.stringify(entry).includes(room.id)).map(({ action }) => action)
      }
      return { ...made, admitted, outsider, talker, closet: room, here, guests, read, about }
    }
    const TOLD = [
      'message.deleted',
      'message.pinned',
      'room.override_set',
      'room.updated',
      'room.admissions_changed',
      'room.created',
    ]

    test('shows entries only to members who see the room, with every filter and on every page', async () => {
      const { at, owner, admitted, outsider, talker, closet: room, guests, role, give, read, about } = await closet()
      expect(await about(owner)).toEqual(TOLD)
      expect(await about(admitted)).toEqual(TOLD)
      for (const query of [
        '',
        '&subject=room',
        `&actorId=${owner.id}`,
        `&targetId=${room.id}`,
        `&targetId=${talker.id}`,
      ])
        expect(await about(outsider, query), query).toEqual([])

      const [all, some] = [await read(owner), await read(outsider)]
      expect(some).toEqual({
        entries: all.entries.filter((one) => !JSON.stringify(one).includes(room.id)),
        hasMore: false,
      })
      const paged: AuditEntry[] = []
      for (let more = true; more;) {
        const before = paged.length > 0 ? `&beforeId=${paged.at(-1)?.id}` : ''
        const page = expectOk(await outsider.get<typeof some>(`${at}/audit-log?limit=2${before}`))
        paged.push(...page.entries)
        more = page.hasMore
        expect(page.entries.length).toBeGreaterThan(0)
      }
      expect(paged).toEqual(some.entries)

      await give(outsider, 'CHANNEL_MODERATOR', guests)
      expect(await about(outsider)).toEqual(TOLD)
      expectOk(
        await owner.put(`${at}/members/${outsider.id}/roles`, { roleIds: [(await role('CHANNEL_MODERATOR')).id] }),
      )
      expectOk(await owner.patch(`${at}/rooms/${room.id}`, { private: false }))
      expect(await about(outsider)).toEqual(['room.updated', ...TOLD])
    })

    test('shows entries of a deleted room only to those who saw it then', async () => {
      const { owner, admitted, outsider, here, about } = await closet()
      expectOk(await owner.delete(here))
      expect(await about(owner)).toEqual(['room.deleted', ...TOLD])
      expect(await about(admitted)).toEqual(['room.deleted', ...TOLD])
      expect(await about(outsider)).toEqual([])
    })

    test('hides that a member was moved out of it', async () => {
      const { at, owner, people, give, newRoom, channel } = await channelFixture({ people: 3 })
      const [admitted, outsider, talker] = people
      for (const person of [admitted, outsider]) await give(person, 'CHANNEL_MODERATOR')
      const [secret, open] = [await newRoom('voice', { private: true }), await newRoom('voice')]
      const admits = { roleIds: [], memberIds: [owner.id, admitted.id, talker.id] }
      expectOk(await owner.put(`${at}/rooms/${secret.id}/admissions`, admits))
      expectOk(await talker.post(`/rooms/${secret.id}/voice`, { channelId: channel.id }))
      expectOk(await admitted.put(`${at}/members/${talker.id}/room`, { roomId: open.id }))
      const moves = async (who: typeof owner) => {
        const { entries } = expectOk(await who.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
        return entries.filter(({ action }) => action === 'member.moved').length
      }
      expect(await moves(admitted)).toBe(1)
      expect(await moves(outsider)).toBe(0)
    })
  })
})
