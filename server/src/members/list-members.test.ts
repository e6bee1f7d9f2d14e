import type { Member, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { manyMembers } from '../../test/many-members.ts'
import { rowsScanned } from '../../test/rows-scanned.ts'
import { newId } from '../operations/ids.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { memberPage } from './list-members.ts'

type Page = Output<typeof api.listMembers>

/** docs/api-rules.md, “Members”. */
describe('listMembers', () => {
  test('returns all online members and the first offline ones on the first page, then only offline ones', async () => {
    const { server, owner, bots, at } = await channelFixture({ bots: 5 })
    const [bot] = bots
    const { presence } = server.services
    presence.connected(bots[1].id)
    presence.connected(owner.id)
    const offline = [bots[0], bots[2], bots[3], bots[4]].map(({ id }) => id).toSorted()
    const page = async (query: string) => expectOk(await bot.get<Page>(`${at}/members?${query}`))

    const first = await page('limit=3')
    expect(first).toMatchObject({ online: 2, total: 6, hasMore: true })
    expect(first.members.map(({ id }) => id)).toEqual([...[owner.id, bots[1].id].toSorted(), ...offline.slice(0, 3)])
    expect(first.members.filter(({ online }) => online)).toHaveLength(2)
    const second = await page(`limit=3&afterId=${offline[2]?.toUpperCase()}`)
    expect(second.members.map(({ id, online }) => [id, online])).toEqual([[offline[3], false]])
    expect(second).toMatchObject({ online: 2, total: 6, hasMore: false })
    presence.disconnected(bots[1].id)
    presence.disconnected(owner.id)
  })

  test('accepts a limit of 1–1000, 100 by default, and a UUID as afterId', async () => {
    const { server, channel, bots, at } = await channelFixture({ bots: 1 })
    const [bot] = bots
    await manyMembers(server, channel.id, 1100)
    const page = (query: string) => bot.get<Page>(`${at}/members?${query}`)
    expect(expectOk(await page('')).members).toHaveLength(100)
    expect(expectOk(await page('limit=1')).members).toHaveLength(1)
    expect(expectOk(await page('limit=1000'))).toMatchObject({ members: { length: 1000 }, total: 1102, hasMore: true })
    for (const limit of ['0', '1001', '-1', '1.5', 'x', '', '1e3', '5&limit=6']) {
      expect(await page(`limit=${limit}`)).toMatchObject({ status: 400, body: { field: 'limit' } })
    }
    expect(await page('afterId=x')).toMatchObject({ status: 400, body: { field: 'afterId' } })
    // A cursor is a position in the order: it stays valid when its member has left.
    expect((await page(`afterId=${newId()}`)).status).toBe(200)
  })

  test('neither skips nor repeats anyone who stays offline while others join, leave or connect', async () => {
    const { server, channel, bots, at, owner } = await channelFixture({ bots: 1 })
    const [bot] = bots
    const { pool } = server.services.database
    const { presence } = server.services
    const change = fc.record({ kind: fc.constantFrom('come', 'go', 'connect', 'disconnect'), who: fc.nat(39) })
    const scenario = fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      changes: fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }),
    })

    await fc.assert(
      fc.asyncProperty(scenario, async ({ limit, changes }) => {
        const extras = await manyMembers(server, channel.id, 40)
        const stay = new Set([bot.id, owner.id, ...extras])
        const connected = new Set<string>()
        const seen: string[] = []
        let afterId: string | undefined
        for (let turn = 0; ; turn += 1) {
          const after = afterId === undefined ? '' : `&afterId=${afterId}`
          const page = expectOk(await bot.get<Page>(`${at}/members?limit=${limit}${after}`))
          const offline = page.members.filter(({ online }) => !online)
          expect(offline.length).toBeLessThanOrEqual(limit)
          if (afterId !== undefined) expect(page.members).toEqual(offline)
          seen.push(...offline.map(({ id }) => id))
          if (!page.hasMore) break
          afterId = offline.at(-1)?.id
          for (const { kind, who } of changes[turn] ?? []) {
            const id = extras[who] ?? ''
            if (kind === 'come') await manyMembers(server, channel.id, 1)
            else stay.delete(id)
            if (kind === 'go')
              await pool.query('DELETE FROM members WHERE channel_id = $1 AND account_id = $2', [channel.id, id])
            if (kind === 'connect' && !connected.has(id)) presence.connected(id)
            if (kind === 'connect') connected.add(id)
            if (kind === 'disconnect' && connected.delete(id)) presence.disconnected(id)
          }
        }
        for (const id of connected) presence.disconnected(id)
        expect(new Set(seen).size).toBe(seen.length)
        expect([...stay].filter((id) => !seen.includes(id))).toEqual([])
        await pool.query('DELETE FROM members WHERE channel_id = $1 AND account_id <> ALL ($2)', [
          channel.id,
          [bot.id, owner.id],
        ])
      }),
      { numRuns: 20 },
    )
  })

  test('returns names, nicknames, roles (highest first) and isBot', async () => {
    const { bots, at, owner, give, newRole } = await channelFixture({ bots: 1 })
    const [bot] = bots
    expectOk(await owner.put(`${at}/members/${bot.id}/nickname`, { nickname: 'Radio' }))
    await give(bot, 'CHANNEL_MODERATOR', await newRole('Watch', []))
    const { members } = expectOk(await bot.get<{ members: Member[] }>(`${at}/members`))
    expect(members.find(({ id }) => id === bot.id)).toEqual({
      id: bot.id,
      name: bot.name,
      channelNickname: 'Radio',
      online: false,
      isBot: true,
      avatar: `${bot.id}.svg`,
      avatarVersion: 1,
      roles: [
        { systemName: 'CHANNEL_MODERATOR', name: 'Moderator' },
        { systemName: 'CUSTOM', name: 'Watch' },
      ],
    })
  })

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
