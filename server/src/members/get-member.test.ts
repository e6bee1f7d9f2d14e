import type { MemberCard } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { expectOk, channelFixture } from '../../test/channel-fixture.ts'

const NOTHING = { setNickname: false, setRoles: false, muteChat: false, muteVoice: false, move: false, kick: false }
const ALL = { setNickname: true, setRoles: true, muteChat: true, muteVoice: true, move: true, kick: true }

describe('getMember', () => {
  test('shows a member with roles, nickname and what the caller may do to them', async () => {
    const { owner, people, bots, at, give } = await channelFixture({ people: 2, bots: 1 })
    const [ada, bob] = people
    await give(ada, 'CHANNEL_MODERATOR')
    expectOk(await bob.put(`${at}/members/${bob.id}/nickname`, { nickname: 'Bobby' }))
    const card = async (reader: typeof ada, of: { id: string }) =>
      expectOk(await reader.get<MemberCard>(`${at}/members/${of.id}`))

    expect(await card(owner, bob)).toMatchObject({ channelNickname: 'Bobby', isOwner: false, may: ALL })
    expect(await card(ada, bob)).toMatchObject({
      roles: [{ systemName: 'CHANNEL_MEMBER' }],
      joinedAt: expect.any(String),
      chatMute: null,
      may: { ...ALL, setNickname: false, setRoles: false },
    })
    expect((await card(bob, ada)).may).toEqual(NOTHING)
    expect((await card(bob, bob)).may).toEqual({ ...NOTHING, setNickname: true })
    expect((await card(ada, owner)).may).toEqual(NOTHING)
    expect(await card(bob, bots[0])).toMatchObject({ isBot: true, name: bots[0].name })
    expect('chatMute' in (await card(bob, ada))).toBe(false)
  })

  test('finds no one outside the channel', async () => {
    const { people, newPerson, at } = await channelFixture({ people: 1 })
    const stranger = await newPerson()
    expectRefusal(await people[0].get(`${at}/members/${stranger.id}`), 'unprocessable', { reason: 'not_a_member' })
    expectRefusal(await stranger.get(`${at}/members/${people[0].id}`), 'forbidden', { reason: 'not_a_member' })
  })
})
