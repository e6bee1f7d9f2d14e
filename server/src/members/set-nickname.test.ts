import type { AuditEntry, Member } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

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
