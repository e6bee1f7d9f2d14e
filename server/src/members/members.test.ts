import type { AuditEntry, Member } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { manyMembers } from '../../test/many-members.ts'
import { rowsScanned } from '../../test/rows-scanned.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { memberPage } from './list-members.ts'

interface Page {
  members: Member[]
  online: number
  total: number
  hasMore: boolean
}

describe('listMembers', () => {
  test('returns all online members first, then offline ones page by page', async () => {
    const { at, server, owner, people } = await channelFixture({ people: 5 })
    const { presence } = server.services
    presence.connected(people[1].id)
    presence.connected(people[3].id)
    const offline = [owner, people[0], people[2], people[4]].map(({ id }) => id).toSorted()

    const first = expectOk(await owner.get<Page>(`${at}/members?limit=2`))
    expect(first).toMatchObject({ online: 2, total: 6, hasMore: true })
    expect(first.members.map(({ id, online }) => [id, online])).toEqual([
      ...[people[1].id, people[3].id].toSorted().map((id) => [id, true]),
      [offline[0], false],
      [offline[1], false],
    ])

    const second = expectOk(await owner.get<Page>(`${at}/members?limit=2&afterId=${offline[1]}`))
    expect(second).toMatchObject({ online: 2, total: 6, hasMore: false })
    expect(second.members.map(({ id }) => id)).toEqual(offline.slice(2))

    const beyond = expectOk(await owner.get<Page>(`${at}/members?afterId=${offline[3]}`))
    expect(beyond).toEqual({ members: [], online: 2, total: 6, hasMore: false })
  })

  test('neither skips nor repeats a remaining member while others join and leave', async () => {
    const { at, server, owner, people, newPerson } = await channelFixture({ people: 8 })
    const staying = [owner, ...people.slice(0, 5)].map(({ id }) => id).toSorted()
    const seen: string[] = []
    let page: Page = { members: [], online: 0, total: 0, hasMore: true }
    for (let turn = 0; page.hasMore; turn += 1) {
      const after = page.members.at(-1)
      page = expectOk(await owner.get<Page>(`${at}/members?limit=2${after ? `&afterId=${after.id}` : ''}`))
      seen.push(...page.members.map(({ id }) => id))
      if (turn === 0) expectOk(await people[5].delete(`${at}/membership`))
      if (turn === 1) server.services.presence.connected(people[6].id)
      if (turn === 2) expectOk(await (await newPerson()).post(`${at}/join`))
    }
    expect(seen.filter((id) => staying.includes(id))).toEqual(staying)
  })

  test('returns names, nicknames and roles, highest first', async () => {
    const { at, owner, people, give, newRole } = await channelFixture({ people: 1 })
    const [ada] = people
    await give(ada, 'CHANNEL_MODERATOR', await newRole('Low', []), await newRole('Lower', []))
    expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: ' Adele ' }))

    const { members } = expectOk(await owner.get<Page>(`${at}/members`))
    expect(members.find(({ id }) => id === ada.id)).toEqual({
      id: ada.id,
      name: ada.name,
      channelNickname: 'Adele',
      online: false,
      isBot: false,
      avatar: `${ada.id}.svg`,
      avatarVersion: 1,
      roles: [
        { systemName: 'CHANNEL_MODERATOR', name: 'Moderator' },
        { systemName: 'CUSTOM', name: 'Low' },
        { systemName: 'CUSTOM', name: 'Lower' },
      ],
    })
  })

  // One channel has nearly all memberships, which tempts the planner to read them all.
  test('costs the same while another channel has ten thousand members', async () => {
    const { channel, server } = await channelFixture()
    await manyMembers(server, (await channelFixture()).channel.id, 10_000)
    await manyMembers(server, channel.id, 20)
    const seen = await rowsScanned(server, memberPage(channel.id, [], { order: 'id', limit: 50 }))
    expect(seen).toBeGreaterThanOrEqual(21)
    expect(seen).toBeLessThan(150)
  })

  test('costs the same in a channel of ten thousand members', async () => {
    const { at, channel, server, owner } = await channelFixture()
    await manyMembers(server, channel.id, 10_000)
    const { members, total } = expectOk(await owner.get<Page>(`${at}/members?limit=50`))
    expect([members.length, total]).toEqual([50, 10_001])

    const online = members.slice(0, 5).map(({ id }) => id)
    const afterId = members[49]?.id
    for (const page of [{ limit: 50 }, { limit: 50, afterId }]) {
      const seen = await rowsScanned(server, memberPage(channel.id, online, { order: 'id', ...page }))
      expect(seen).toBeGreaterThanOrEqual(50)
      expect(seen).toBeLessThan(300)
    }
  })
})

describe('setNickname', () => {
  test('is for your own nickname, and for role managers on members below them', async () => {
    const { at, owner, people, give } = await channelFixture({ people: 2 })
    const [ada, bo] = people
    const rename = (who: typeof ada, whom: typeof ada, nickname: string | null) =>
      who.put<Member>(`${at}/members/${whom.id}/nickname`, { nickname })

    expect((await rename(ada, ada, 'Adele')).body).toMatchObject({ channelNickname: 'Adele' })
    expect((await rename(ada, ada, null)).body).toMatchObject({ channelNickname: null })
    expect(await rename(ada, bo, 'Bobo')).toMatchObject({ status: 403, body: { requiredRight: 'manage_roles' } })

    await give(ada, 'CHANNEL_ADMIN')
    expect((await rename(ada, bo, 'Bobo')).body).toMatchObject({ channelNickname: 'Bobo' })
    expect(await rename(ada, owner, 'Boss')).toMatchObject({ status: 403, body: { reason: 'outranked' } })
    expect((await rename(owner, ada, 'Second')).status).toBe(200)

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries.find(({ action }) => action === 'member.nickname_changed')).toMatchObject({
      actor: { id: owner.id },
      targetId: ada.id,
      details: { nickname: { from: null, to: 'Second' } },
    })
  })

  test('rejects people who are not members of the channel', async () => {
    const { at, owner, newPerson } = await channelFixture()
    const stranger = await newPerson()
    expect(await owner.put(`${at}/members/${stranger.id}/nickname`, { nickname: 'X' })).toMatchObject({
      status: 422,
      body: { reason: 'not_a_member' },
    })
  })
})

describe('setMemberRoles', () => {
  test('replaces the whole list and writes added and removed roles to the audit log', async () => {
    const { at, owner, people, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const [watch, choir] = [await newRole('Watch', []), await newRole('Choir', [])]
    const moderator = await role('CHANNEL_MODERATOR')
    const member = await role('CHANNEL_MEMBER')
    const set = (...roles: { id: string }[]) =>
      owner.put<Member>(`${at}/members/${ada.id}/roles`, { roleIds: roles.map(({ id }) => id) })

    expect(expectOk(await set(watch, moderator)).roles.map(({ name }) => name)).toEqual(['Moderator', 'Watch'])
    expect(expectOk(await set(member, choir)).roles.map(({ name }) => name)).toEqual(['Choir', 'Member'])
    expect((await set(choir, member)).status).toBe(200)

    const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    const changes = entries.filter(({ action }) => action === 'member.roles_changed')
    expect(changes).toHaveLength(2)
    expect(changes[0]).toMatchObject({ targetId: ada.id })
    expect(Object.values(changes[0]?.details ?? {}).map((names) => (names as string[]).toSorted())).toEqual([
      ['Choir', 'Member'],
      ['Moderator', 'Watch'],
    ])
  })

  test('requires exactly one default role, and none of another channel', async () => {
    const { at, owner, people, newRole, role } = await channelFixture({ people: 1 })
    const [ada] = people
    const watch = await newRole('Watch', [])
    const [member, moderator, bot] = [
      await role('CHANNEL_MEMBER'),
      await role('CHANNEL_MODERATOR'),
      await role('CHANNEL_BOT'),
    ]
    const foreign = await (await channelFixture()).newRole('Foreign', [])
    const set = (...roles: { id: string }[]) =>
      owner.put(`${at}/members/${ada.id}/roles`, { roleIds: roles.map(({ id }) => id) })

    expect(await set(watch)).toMatchObject({ status: 422, body: { reason: 'not_one_system_role' } })
    expect(await set(member, moderator)).toMatchObject({ status: 422, body: { reason: 'not_one_system_role' } })
    expect(await set(bot)).toMatchObject({ status: 422, body: { reason: 'role_for_bots' } })
    expect(await set(member, foreign)).toMatchObject({ status: 422, body: { reason: 'no_such_role' } })
    expect(await set(member, member)).toMatchObject({ status: 400, body: { field: 'roleIds' } })
    expect((await set()).status).toBe(400)
  })

  test('gives a bot any role except the owner’s', async () => {
    const { at, owner, bots, role } = await channelFixture({ bots: 1 })
    const set = (roleId: string) => owner.put<Member>(`${at}/members/${bots[0].id}/roles`, { roleIds: [roleId] })
    expect(expectOk(await set((await role('CHANNEL_MODERATOR')).id))).toMatchObject({
      isBot: true,
      roles: [{ systemName: 'CHANNEL_MODERATOR' }],
    })
    expect((await set((await role('CHANNEL_OWNER')).id)).status).toBe(403)
  })

  test('prevents raising yourself, raising an accomplice, and changing members above you', async () => {
    const { at, owner, people, give, newRole, role } = await channelFixture({ people: 4 })
    const [ada, bo, mod, admin] = people
    const own = await newRole('Roles', ['manage_roles'])
    const low = await newRole('Low', ['kick_member'])
    const harmless = await newRole('Harmless', ['manage_roles'])
    await give(ada, 'CHANNEL_MEMBER', own)
    await give(mod, 'CHANNEL_MODERATOR')
    await give(admin, 'CHANNEL_ADMIN')
    const member = await role('CHANNEL_MEMBER')
    const set = (who: typeof ada, whom: typeof ada, ...roles: { id: string }[]) =>
      who.put(`${at}/members/${whom.id}/roles`, { roleIds: roles.map(({ id }) => id) })
    const outranked = { status: 403, body: { reason: 'outranked' } }

    expect(await set(ada, ada, member, own, harmless)).toMatchObject(outranked)
    expect(await set(ada, bo, member, own)).toMatchObject(outranked)
    expect(await set(ada, bo, await role('CHANNEL_ADMIN'))).toMatchObject(outranked)
    expect(await set(ada, bo, member, low)).toMatchObject({ status: 403, body: { requiredRight: 'kick_member' } })
    expect(await set(ada, mod, member)).toMatchObject(outranked)
    expect(await set(admin, owner, member)).toMatchObject(outranked)
    expect(await set(admin, admin, member)).toMatchObject(outranked)
    expect(await set(owner, owner, member)).toMatchObject(outranked)
    expect(await set(owner, bo, await role('CHANNEL_OWNER'))).toMatchObject(outranked)
    expect((await set(ada, bo, member, harmless)).status).toBe(200)
    expect((await set(admin, mod, member)).status).toBe(200)
  })

  test('is refused if the right is removed concurrently', async () => {
    const { at, owner, people, give, role } = await channelFixture({ people: 2 })
    const [ada, bo] = people
    const member = await role('CHANNEL_MEMBER')
    const moderator = await role('CHANNEL_MODERATOR')
    for (let round = 0; round < 5; round += 1) {
      await give(ada, 'CHANNEL_ADMIN')
      await give(bo, 'CHANNEL_MEMBER')
      const [, promoted] = await Promise.all([
        owner.put(`${at}/members/${ada.id}/roles`, { roleIds: [member.id] }),
        ada.put(`${at}/members/${bo.id}/roles`, { roleIds: [moderator.id] }),
      ])
      const { entries } = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?limit=2`))
      if (promoted.status === 200) expect(entries.map(({ targetId }) => targetId)).toEqual([ada.id, bo.id])
      else expect(promoted).toMatchObject({ status: 403, body: { requiredRight: 'manage_roles' } })
    }
  })
})
