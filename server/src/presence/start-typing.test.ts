import { memberJoined, typingStarted } from '@portico/contract'
import { describe, expect, test, vi } from 'vitest'
import { queryDatabaseOf } from '../../test/query-database.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

describe('startTyping', () => {
  test('notifies others in the room, throttled, and stores nothing', async () => {
    const { server, owner, people, room, at, newPerson } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Countess' }))
    const others = await OpenPortal.of(server, owner)
    const own = await OpenPortal.of(server, ada)
    for (const portal of [others, own]) await portal.show(room.id)
    for (let n = 0; n < 3; n += 1) expectOk(await ada.post(`/rooms/${room.id}/typing`))
    expect(await others.next(typingStarted)).toMatchObject({
      channelId: room.channelId,
      data: { roomId: room.id, member: { id: ada.id, name: ada.name, channelNickname: 'Countess' } },
    })
    // Events are ordered: when this one arrives, nothing earlier is missing.
    expectOk(await (await newPerson()).post(`${at}/join`))
    await others.next(memberJoined)
    await own.next(memberJoined)
    expect(others.kinds.filter((event) => event === typingStarted.event)).toHaveLength(1)
    expect(own.kinds).not.toContain(typingStarted.event)
    expect(await queryDatabaseOf(server, `SELECT seq FROM events WHERE event = '${typingStarted.event}'`)).toEqual([])
  })

  test('notifies them without a statement to the database', async () => {
    const { server, owner, people, room } = await channelFixture({ people: 1 })
    const others = await OpenPortal.of(server, owner)
    await others.show(room.id)
    const query = vi.spyOn(server.services.database.pool, 'query')
    expectOk(await people[0].post(`/rooms/${room.id}/typing`))
    await others.next(typingStarted)
    expect(query.mock.calls.filter(([sent]) => (sent as { name?: string }).name === 'publish')).toEqual([])
    query.mockRestore()
  })

  test('reaches only portals that show the room', async () => {
    const { server, owner, people, room, newRoom } = await channelFixture({ people: 1 })
    const [left, shown] = [await newRoom('text'), await newRoom('text')]
    const portal = await OpenPortal.of(server, people[0])
    for (const { id } of [left, shown]) await portal.show(id)
    await portal.hide(left.id)
    for (const { id } of [room, left, shown]) expectOk(await owner.post(`/rooms/${id}/typing`))
    await portal.next(typingStarted)
    expect(portal.eventsOf(typingStarted).map(({ data }) => data.roomId)).toEqual([shown.id])
  })

  test('reaches only members who see the room, and is refused for members who may not write', async () => {
    const { server, owner, people, newPerson, newRoom, role, room, at } = await channelFixture({ people: 2 })
    const [ada, bob] = people
    const secret = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${secret.id}/admissions`, { roleIds: [], memberIds: [owner.id, ada.id] }))
    const admitted = await OpenPortal.of(server, ada)
    const outside = await OpenPortal.of(server, bob)
    for (const portal of [admitted, outside]) for (const { id } of [room, secret]) await portal.show(id)
    expectOk(await owner.post(`/rooms/${secret.id}/typing`))
    await admitted.next(typingStarted)
    expectOk(await owner.post(`/rooms/${room.id}/typing`))
    expect((await outside.next(typingStarted)).data.roomId).toBe(room.id)

    expectRefusal(await bob.post(`/rooms/${secret.id}/typing`), 'unprocessable', { reason: 'no_such_room' })
    expectRefusal(await (await newPerson()).post(`/rooms/${room.id}/typing`), 'unprocessable', {
      reason: 'no_such_room',
    })
    const { id: members } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${members}`, { allow: [], deny: ['write_text_room'] }))
    expectRefusal(await bob.post(`/rooms/${room.id}/typing`), 'forbidden', { requiredRight: 'write_text_room' })
  })
})
