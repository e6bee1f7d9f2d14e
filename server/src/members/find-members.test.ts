import { LIMITS, RIGHTS, type MemberDetails, type OwnPermissions } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { manyMembers } from '../../test/many-members.ts'
import type { Person } from '../../test/person.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

interface Found {
  members: MemberDetails[]
  found: number
  hasMore: boolean
}

describe('findMembers', () => {
  test('finds by name and nickname, page by page, case-insensitively', async () => {
    const { at, owner, people, bots } = await channelFixture({ people: 3, bots: 1 })
    const [ada, boris, chen] = people
    const nicknames = [
      [ada, 'Ada 100%'],
      [boris, 'ЁЖИК в тумане'],
      [chen, 'zoe'],
    ] as const
    for (const [person, nickname] of nicknames) {
      expectOk(await owner.put(`${at}/members/${person.id}/nickname`, { nickname }))
    }

    const find = async (query: string) => expectOk(await owner.get<Found>(`${at}/members/search?${query}`))
    expect((await find('text=ёжик')).members.map(({ id }) => id)).toEqual([boris.id])
    expect((await find('text=100%25')).members.map(({ id }) => id)).toEqual([ada.id])
    expect((await find('text=0_%25')).members).toEqual([])
    expect((await find(`text=${encodeURIComponent(chen.name)}`)).members).toMatchObject([
      { id: chen.id, name: chen.name, channelNickname: 'zoe' },
    ])

    const seen: string[] = []
    let page = await find('limit=2')
    for (;;) {
      expect(page.found).toBe(5)
      seen.push(...page.members.map(({ id }) => id))
      if (!page.hasMore) break
      page = await find(`limit=2&afterId=${seen.at(-1)}`)
    }
    expect(seen.toSorted()).toEqual([owner, ada, boris, chen, ...bots].map(({ id }) => id).toSorted())
  })

  test('shows roles, rank, and mutes to callers who may mute', async () => {
    const { at, owner, people, give, newRole } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const watch = await newRole('Watch', [])
    await give(ada, 'CHANNEL_MEMBER', watch)
    const { mutedUntil } = expectOk(
      await owner.put<{ mutedUntil: string }>(`${at}/members/${ada.id}/chat-mute`, { durationSec: 600 }),
    )
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))

    const [found] = expectOk(await owner.get<Found>(`${at}/members/search?roleId=${watch.id}`)).members
    expect(found).toMatchObject({
      id: ada.id,
      isOwner: false,
      rank: 101,
      chatMute: { until: mutedUntil },
      voiceMute: { until: null },
      voiceRoomId: null,
    })
    expect(found?.roleIds[0]).toBe(watch.id)
    const [asMember] = expectOk(await boris.get<Found>(`${at}/members/search?roleId=${watch.id}`)).members
    expect(asMember).not.toHaveProperty('chatMute')
    expect(asMember).not.toHaveProperty('voiceMute')
  })

  test('shows the voice room, but not a private one that the caller cannot see', async () => {
    const { at, channel, owner, people, newRoom } = await channelFixture({ people: 2 })
    const [ada, boris] = people
    const lounge = await newRoom('voice')
    const closet = await newRoom('voice', { private: true })
    expectOk(await owner.put(`${at}/rooms/${closet.id}/admissions`, { roleIds: [], memberIds: [ada.id] }))
    const roomOfAda = async (reader: Person) => {
      const { members } = expectOk(await reader.get<Found>(`${at}/members/search?text=${encodeURIComponent(ada.name)}`))
      return members[0]?.voiceRoomId
    }

    expectOk(await ada.post(`/rooms/${lounge.id}/voice`, { channelId: channel.id }))
    expect(await roomOfAda(boris)).toBe(lounge.id)
    expectOk(await ada.post(`/rooms/${closet.id}/voice`, { channelId: channel.id }))
    expect(await roomOfAda(boris)).toBeNull()
    expect(await roomOfAda(owner)).toBe(closet.id)
  })

  test('finds an account’s name behind a nickname, ignoring accents, even after it changed', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    expectOk(await ada.patch('/account', { name: 'Zoë Şimşek' }))
    expectOk(await owner.put(`${at}/members/${ada.id}/nickname`, { nickname: 'Night owl' }))
    const find = async (text: string) =>
      expectOk(await owner.get<Found>(`${at}/members/search?text=${encodeURIComponent(text)}`)).members.map(
        ({ id }) => id,
      )
    expect(await find('simsek')).toEqual([ada.id])
    expectOk(await ada.patch('/account', { name: 'Zoë Demir' }))
    expect(await find('SIMSEK')).toEqual([])
    expect(await find('zoe dem')).toEqual([ada.id])
    expect(await find('owl')).toEqual([ada.id])
  })

  test('counts matches up to a limit, and all members exactly', async () => {
    const { at, server, channel, owner } = await channelFixture()
    await manyMembers(server, channel.id, LIMITS.membersCounted + 500)
    const count = async (query: string) => expectOk(await owner.get<Found>(`${at}/members/search?${query}`)).found
    expect(await count('')).toBe(LIMITS.membersCounted + 501)
    expect(await count('text=one of many')).toBe(LIMITS.membersCounted + 1)
    expect(await count('text=nobody')).toBe(0)
  })
})

describe('getPermissions', () => {
  test('returns the caller’s roles and rights, and follows a change of roles', async () => {
    const { at, owner, people, give, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    expect(expectOk(await owner.get(`${at}/permissions`))).toMatchObject({
      isOwner: true,
      rank: 1000,
      rights: [...RIGHTS],
    })
    const member = await role('CHANNEL_MEMBER')
    expect(expectOk(await ada.get(`${at}/permissions`))).toEqual({
      isOwner: false,
      rank: member.rank,
      roleIds: [member.id],
      rights: RIGHTS.filter((right) => member.rights.includes(right)),
    })

    const watch = await newRole('Watch', ['view_audit_log'])
    await give(ada, 'CHANNEL_MEMBER', watch)
    const permissions = expectOk(await ada.get<OwnPermissions>(`${at}/permissions`))
    expect(permissions.roleIds).toEqual([watch.id, member.id])
    expect(permissions.rights).toContain('view_audit_log')
  })
})
