import { channelChanged, type AuditEntry, type ManagedChannel, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'
import { newId } from '../operations/ids.ts'

const { administrator } = await portal()

async function lastEntry(path = ''): Promise<AuditEntry | undefined> {
  return expectOk(await administrator.get<{ entries: AuditEntry[] }>(`${path}/audit-log`)).entries[0]
}

test('only administrators can delete and transfer other people’s channels', async () => {
  const { owner, people, channel, at } = await channelFixture({ people: 1 })
  const refused = { reason: 'not_an_administrator' } as const
  const there = `/administration${at}`
  expectRefusal(await owner.delete(there, { name: channel.name }), 'forbidden', refused)
  expectRefusal(await owner.put(`${there}/owner`, { userId: people[0].id }), 'forbidden', refused)
  expectRefusal(await owner.get(`${there}/heirs`), 'forbidden', refused)

  const nowhere = `/administration/channels/${newId()}`
  const missing = { reason: 'no_such_channel' } as const
  expectRefusal(await administrator.delete(nowhere, { name: channel.name }), 'unprocessable', missing)
  expectRefusal(await administrator.put(`${nowhere}/owner`, { userId: owner.id }), 'unprocessable', missing)
  expectRefusal(await administrator.get(`${nowhere}/heirs`), 'unprocessable', missing)
})

describe('deleteAnyChannel', () => {
  test('requires the name, notifies open clients and writes to the portal’s audit log', async () => {
    const { server, owner, people, channel, at } = await channelFixture({ people: 1 })
    const wrong = await administrator.delete(`/administration${at}`, { name: `${channel.name}!` })
    expectRefusal(wrong, 'unprocessable', { reason: 'wrong_name' })
    expect((await owner.get(at)).status).toBe(200)

    const open = await OpenPortal.of(server, people[0])
    expectOk(await administrator.delete(`/administration${at}`, { name: ` ${channel.name} ` }))
    expect(await open.next(channelChanged)).toMatchObject({ channelId: channel.id, data: { subject: 'channel' } })
    expect((await owner.get(at)).status).toBe(403)
    expect(await lastEntry()).toMatchObject({
      action: 'channel.deleted',
      actor: { id: administrator.id },
      targetId: channel.id,
      targetName: channel.name,
    })
  })
})

describe('transferAnyChannel', () => {
  test('transfers ownership, notifies open clients and writes to both audit logs', async () => {
    const { server, owner, people, bots, channel, at, newPerson } = await channelFixture({ people: 1, bots: 1 })
    const [ada] = people
    const transfer = (userId: string) => administrator.put<ManagedChannel>(`/administration${at}/owner`, { userId })
    expectRefusal(await transfer((await newPerson()).id), 'unprocessable', { reason: 'not_a_member' })
    expectRefusal(await transfer(bots[0].id), 'unprocessable', { reason: 'not_a_person' })
    expectRefusal(await transfer(owner.id), 'unprocessable', { reason: 'already_the_owner' })

    const open = await OpenPortal.of(server, ada)
    expect(expectOk(await transfer(ada.id))).toMatchObject({ id: channel.id, owner: { id: ada.id, name: ada.name } })
    expect(await open.next(channelChanged)).toMatchObject({ channelId: channel.id, data: { subject: 'channel' } })
    expect(expectOk(await ada.get(`${at}/permissions`))).toMatchObject({ isOwner: true })
    expect(expectOk(await owner.get(`${at}/permissions`))).toMatchObject({ isOwner: false, rank: 900 })

    expect(await lastEntry()).toMatchObject({
      action: 'channel.transferred',
      actor: { id: administrator.id },
      targetId: channel.id,
      details: { owner: { from: owner.name, to: ada.name } },
    })
    const { entries } = expectOk(await ada.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(entries[0]).toMatchObject({
      action: 'channel.transferred',
      actor: { id: administrator.id },
      targetId: ada.id,
    })
  })
})

describe('listOwnerCandidates', () => {
  test('finds people by name and nickname, ordered by name, without the owner and bots', async () => {
    const { owner, people, at } = await channelFixture({ people: 3, bots: 1 })
    const [ada, boris, chen] = people
    for (const [person, nickname] of [
      [ada, 'Zoe'],
      [boris, 'émile'],
      [chen, '100% Chen'],
    ] as const) {
      expectOk(await owner.put(`${at}/members/${person.id}/nickname`, { nickname }))
    }
    const candidates = async (query = '') =>
      expectOk(
        await administrator.get<Output<typeof api.listOwnerCandidates>>(`/administration${at}/heirs${query}`),
      ).members.map(({ id }) => id)
    expect(await candidates()).toEqual([chen.id, boris.id, ada.id])
    expect(await candidates('?limit=1')).toEqual([chen.id])
    expect(await candidates('?search=zO')).toEqual([ada.id])
    expect(await candidates(`?search=${encodeURIComponent('0%')}`)).toEqual([chen.id])
    expect(await candidates(`?search=${encodeURIComponent(boris.name)}`)).toEqual([boris.id])
  })
})
