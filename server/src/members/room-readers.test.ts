import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { manyMembers } from '../../test/many-members.ts'

type Page = Output<typeof api.listRoomReaders>
type Found = Output<typeof api.findRoomMembers>

describe('listRoomReaders', () => {
  test('lists the owner and those whom a private room admits, with the role that lets them in', async () => {
    const { at, owner, people, give, newRole, newRoom, role } = await channelFixture({ people: 5 })
    const [ada, boris, chen, dora, emil] = people
    const staff = await newRole('Staff', [])
    await give(ada, 'CHANNEL_MEMBER', staff)
    await give(boris, 'CHANNEL_MODERATOR', staff)
    const { id } = await newRoom('text', { private: true })
    const admissions = { roleIds: [staff.id], memberIds: [chen.id, boris.id] }
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, admissions))

    const page = expectOk(await ada.get<Page>(`/rooms/${id}/readers`))
    expect(new Map(page.members.map((member) => [member.id, member.admittedAs?.name ?? null]))).toEqual(
      new Map([
        [owner.id, 'Owner'],
        [ada.id, 'Staff'],
        [boris.id, 'Staff'],
        [chen.id, null],
      ]),
    )
    expect(page).toMatchObject({ total: 4, online: 0, hasMore: false })
    expectRefusal(await dora.get(`/rooms/${id}/readers`), 'unprocessable', { reason: 'no_such_room' })

    expectOk(
      await owner.put(`${at}/rooms/${id}/admissions`, {
        roleIds: [(await role('CHANNEL_MODERATOR')).id],
        memberIds: [emil.id],
      }),
    )
    const changed = expectOk(await boris.get<Page>(`/rooms/${id}/readers`))
    expect(changed.members.map((member) => member.id).toSorted()).toEqual([owner.id, boris.id, emil.id].toSorted())
  })

  test('returns those online first, and the others page by page', async () => {
    const { at, server, owner, people, newRoom } = await channelFixture({ people: 5 })
    const [ada, boris, chen, dora, stranger] = people
    server.services.presence.connected(dora.id)
    server.services.presence.connected(stranger.id)
    const { id } = await newRoom('text', { private: true })
    const memberIds = [ada, boris, chen, dora].map((person) => person.id)
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds }))

    const first = expectOk(await owner.get<Page>(`/rooms/${id}/readers?limit=2`))
    expect(first).toMatchObject({ total: 5, online: 1, hasMore: true })
    expect(first.members[0]).toMatchObject({ id: dora.id, online: true })
    const second = expectOk(await owner.get<Page>(`/rooms/${id}/readers?limit=2&afterId=${first.members.at(-1)?.id}`))
    expect(second.hasMore).toBe(false)
    const seen = [...first.members, ...second.members].map((member) => member.id)
    expect(seen.toSorted()).toEqual([owner.id, ...memberIds].toSorted())
  })

  test('lists everyone in a room that is not private', async () => {
    const { room, owner, people } = await channelFixture({ people: 2 })
    const { members, total } = expectOk(await people[0].get<Page>(`/rooms/${room.id}/readers`))
    expect(members.map(({ id }) => id).toSorted()).toEqual([owner, ...people].map(({ id }) => id).toSorted())
    expect(total).toBe(3)
  })

  test('reads pages in the order of names where a private room admits thousands', async () => {
    const { at, channel, server, owner, people, newRoom, role } = await channelFixture({ people: 1 })
    await manyMembers(server, channel.id, 3000)
    const { id } = await newRoom('text', { private: true })
    const roleIds = [(await role('CHANNEL_MEMBER')).id]
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds, memberIds: [] }))
    const seen: string[] = []
    let page = expectOk(await people[0].get<Page>(`/rooms/${id}/readers?limit=1000`))
    expect(page.total).toBe(3002)
    for (;;) {
      seen.push(...page.members.map((member) => member.sortName))
      if (!page.hasMore) break
      page = expectOk(await people[0].get<Page>(`/rooms/${id}/readers?limit=1000&afterId=${page.members.at(-1)?.id}`))
    }
    expect(seen).toHaveLength(3002)
    expect(seen).toEqual(seen.toSorted())
  })
})

describe('findRoomMembers', () => {
  test('says who can see a private room', async () => {
    const { at, owner, people, newRoom } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    for (const [person, nickname] of [
      [ada, 'Novak A'],
      [boris, 'Novak B'],
    ] as const)
      expectOk(await owner.put(`${at}/members/${person.id}/nickname`, { nickname }))
    const { id } = await newRoom('text', { private: true })
    expectOk(await owner.put(`${at}/rooms/${id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    const { members } = expectOk(await owner.get<Found>(`/rooms/${id}/members/search?text=novak`))
    expect(members.map((member) => [member.id, member.seesRoom])).toEqual([
      [ada.id, true],
      [boris.id, false],
    ])
    const own = expectOk(await ada.get<Found>(`/rooms/${id}/members/search?text=${encodeURIComponent(owner.name)}`))
    expect(own.members).toMatchObject([{ id: owner.id, seesRoom: true }])
    expectRefusal(await boris.get(`/rooms/${id}/members/search`), 'unprocessable', { reason: 'no_such_room' })
  })
})
