import type { ListedMember, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { manyMembers } from '../../test/many-members.ts'
import type { Person } from '../../test/person.ts'
import { rowsScanned } from '../../test/rows-scanned.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'
import { memberPage } from './list-members.ts'

type Page = Output<typeof api.listMembersByName>

/** In dictionary order. */
const ALPHABETICAL = [
  '100 days',
  '_ada_',
  'Ada',
  'ada Novak',
  'Ádám',
  'Łukasz',
  'lutz',
  'Øystein',
  'Straße',
  'strasse 2',
  'zoe',
  'Алёна',
  'алеша',
  'Евгений',
  'Єва',
  'Жанна',
  'Иван',
  'Їжак',
  'Йозеф',
  'ян',
]

async function pages(reader: Person, at: string, limit: number, between?: (turn: number) => Promise<void>) {
  const seen: ListedMember[] = []
  let page: Page = { members: [], online: 0, total: 0, hasMore: true, roles: [] }
  for (let turn = 0; page.hasMore; turn += 1) {
    const after = page.members.at(-1)
    page = expectOk(
      await reader.get<Page>(`${at}/members/by-name?limit=${limit}${after ? `&afterId=${after.id}` : ''}`),
    )
    seen.push(...page.members)
    await between?.(turn)
  }
  return seen
}

function shown({ name, channelNickname }: ListedMember): string {
  return channelNickname ?? name
}

describe('listMembersByName', () => {
  test('lists the roles of the channel, highest first', async () => {
    const { at, owner, people, newRole } = await channelFixture({ people: 1 })
    const watch = await newRole('Watch', [])
    expectOk(await owner.patch(`${at}/roles/${watch.id}`, { color: 'teal' }))
    const { roles } = expectOk(await people[0].get<Page>(`${at}/members/by-name`))
    expect(roles).toContainEqual({ systemName: 'CUSTOM', name: 'Watch', color: 'teal' })
    expect(roles.map(({ systemName }) => systemName)).toEqual([
      'CHANNEL_OWNER',
      'CHANNEL_ADMIN',
      'CHANNEL_MODERATOR',
      'CUSTOM',
      'CHANNEL_MEMBER',
      'CHANNEL_BOT',
    ])
  })

  test('sorts across all pages by nickname or else name, ignoring case and accents', async () => {
    const { at, channel, server, owner } = await channelFixture()
    // Ordered by id, the names are thoroughly shuffled.
    const ids = await manyMembers(server, channel.id, ALPHABETICAL.length)
    const people = ids.map((id, place) => [id, ALPHABETICAL[(place * 7 + 3) % ALPHABETICAL.length]] as const)
    for (const [id, nickname] of people) expectOk(await owner.put(`${at}/members/${id}/nickname`, { nickname }))

    const seen = (await pages(owner, at, 3)).filter(({ id }) => id !== owner.id)
    expect(seen.map(shown)).toEqual(ALPHABETICAL)
    expect(seen.map(({ sortName }) => sortName)).toEqual(seen.map(({ sortName }) => sortName).toSorted())

    const { members } = expectOk(await owner.get<Page>(`${at}/members/search?limit=100`))
    expect(members.filter(({ id }) => id !== owner.id).map(shown)).toEqual(ALPHABETICAL)
  })

  test('follows a new name where there is no nickname, and a removed nickname', async () => {
    const { at, owner, people } = await channelFixture({ people: 2 })
    const [ada, bo] = people
    const order = async () => (await pages(owner, at, 50)).map(({ id }) => id).filter((id) => id !== owner.id)
    const unique = ada.name.slice(-8)
    expectOk(await ada.patch('/account', { name: `M ${unique}` }))
    expectOk(await bo.put(`${at}/members/${bo.id}/nickname`, { nickname: 'n' }))
    expect(await order()).toEqual([ada.id, bo.id])

    expectOk(await ada.patch('/account', { name: `O ${unique}` }))
    expect(await order()).toEqual([bo.id, ada.id])
    expectOk(await bo.patch('/account', { name: `Z ${unique}` }))
    expect(await order()).toEqual([bo.id, ada.id])
    expectOk(await bo.put(`${at}/members/${bo.id}/nickname`, { nickname: null }))
    expect(await order()).toEqual([ada.id, bo.id])
  })

  test('uses the newest name when it changes while a nickname is being removed', async () => {
    const { at, owner, people } = await channelFixture({ people: 1 })
    const [ada] = people
    for (let round = 0; round < 10; round += 1) {
      expectOk(await ada.put(`${at}/members/${ada.id}/nickname`, { nickname: 'hidden' }))
      const name = `${round} ${ada.name.slice(-8)}`
      const [renamed, bare] = await Promise.all([
        ada.patch('/account', { name }),
        ada.put(`${at}/members/${ada.id}/nickname`, { nickname: null }),
      ])
      expect([renamed.status, bare.status]).toEqual([200, 200])
      expect((await pages(owner, at, 50)).find(({ id }) => id === ada.id)?.sortName).toBe(name.toLowerCase())
    }
  })

  test('returns online members first, and skips no remaining member while others join and leave', async () => {
    const { at, server, owner, people, newPerson } = await channelFixture({ people: 8 })
    server.services.presence.connected(people[7].id)
    const staying = [owner, ...people.slice(0, 5)].map(({ id }) => id)
    const seen = await pages(owner, at, 2, async (turn) => {
      // Including the last one of the page, which is the cursor of the next page.
      if (turn === 0) for (const one of [people[5], people[6]]) expectOk(await one.delete(`${at}/membership`))
      if (turn === 1) expectOk(await (await newPerson()).post(`${at}/join`))
    })
    expect(seen[0]).toMatchObject({ id: people[7].id, online: true })
    const offline = seen.filter(({ id }) => staying.includes(id))
    expect(offline.map(({ id }) => id).toSorted()).toEqual(staying.toSorted())
    const names = offline.map(({ sortName }) => sortName)
    expect(names).toEqual(names.toSorted())
  })

  test('continues after a cursor whose member has left', async () => {
    const { at, owner, people } = await channelFixture({ people: 3 })
    const all = (await pages(owner, at, 50)).map(({ id }) => id)
    const leaver = people.find(({ id }) => id !== all.at(-1)) ?? people[0]
    expectOk(await leaver.delete(`${at}/membership`))
    const { members } = expectOk(await owner.get<Page>(`${at}/members/by-name?afterId=${leaver.id}`))
    expect(members.map(({ id }) => id)).toEqual(all.slice(all.indexOf(leaver.id) + 1))
  })

  // One channel has nearly all memberships, which tempts the planner to read them all.
  test('costs the same while another channel has ten thousand members', async () => {
    const { channel, server } = await channelFixture()
    await manyMembers(server, (await channelFixture()).channel.id, 10_000)
    await manyMembers(server, channel.id, 20)
    const seen = await rowsScanned(server, memberPage(channel.id, [], { order: 'name', limit: 50 }))
    expect(seen).toBeGreaterThanOrEqual(21)
    expect(seen).toBeLessThan(150)
  })

  test('costs the same in a channel of ten thousand members', async () => {
    const { at, channel, server, owner } = await channelFixture()
    await manyMembers(server, channel.id, 10_000)
    const { members, total } = expectOk(await owner.get<Page>(`${at}/members/by-name?limit=50`))
    expect([members.length, total]).toEqual([50, 10_001])

    const online = members.slice(0, 5).map(({ id }) => id)
    const afterId = members[49]?.id
    for (const page of [{ limit: 50 }, { limit: 50, afterId }]) {
      const seen = await rowsScanned(server, memberPage(channel.id, online, { order: 'name', ...page }))
      expect(seen).toBeGreaterThanOrEqual(50)
      expect(seen).toBeLessThan(300)
    }
  })
})
