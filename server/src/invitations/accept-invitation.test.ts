import type { Invitation, OwnChannel } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk } from '../../test/channel-fixture.ts'
import { closedChannel, expireInvitation } from '../../test/closed-channel.ts'

const notValid = { status: 422, body: { reason: 'invitation_not_valid' } }

describe('acceptInvitation', () => {
  test('adds each person once and never exceeds its uses, even for concurrent requests', async () => {
    const { channel, owner, newPerson, invite } = await closedChannel()
    const { code } = await invite({ maxUses: 2 })
    const people = await Promise.all([1, 2, 3, 4].map(() => newPerson()))
    const answers = await Promise.all(
      people.flatMap((person) => [1, 2].map(() => person.post(`/invitations/${code}/accept`))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(notValid)

    const { channels } = expectOk(await owner.get<{ channels: OwnChannel[] }>('/channels'))
    expect(channels.find(({ id }) => id === channel.id)?.memberCount).toBe(4)
  })

  test('does not count a use by a member, who can even follow a used-up link', async () => {
    const { at, channel, owner, people, newPerson, invite } = await closedChannel()
    const { code } = await invite({ maxUses: 1 })
    expect(expectOk(await people[0].post(`/invitations/${code}/accept`))).toEqual({ channelId: channel.id })
    const { invitations } = expectOk(await owner.get<{ invitations: Invitation[] }>(`${at}/invitations`))
    expect(invitations[0]?.uses).toBe(0)

    const ada = await newPerson()
    expectOk(await ada.post(`/invitations/${code}/accept`))
    expect((await ada.post(`/invitations/${code}/accept`)).status).toBe(200)
    expect(await (await newPerson()).post(`/invitations/${code}/accept`)).toMatchObject(notValid)
  })

  test('rejects an expired, a revoked and an unknown link', async () => {
    const { at, server, owner, newPerson, invite } = await closedChannel()
    const ada = await newPerson()
    const [old, revoked] = [await invite(), await invite()]
    await expireInvitation(server, old.id)
    expectOk(await owner.delete(`${at}/invitations/${revoked.id}`))
    for (const code of [old.code, revoked.code, 'AAAAAAAAAAAAAAAAAAAAAA']) {
      expect(await ada.post(`/invitations/${code}/accept`)).toMatchObject(notValid)
    }
  })

  test('readmits a kicked member, but not through a link of their own', async () => {
    const { at, owner, people, invite } = await closedChannel()
    const [ada] = people
    const own = expectOk(await ada.post<Invitation>(`${at}/invitations`, {}))
    expectOk(await owner.delete(`${at}/members/${ada.id}`))

    expect(await ada.post(`/invitations/${own.code}/accept`)).toMatchObject(notValid)
    expectOk(await ada.post(`/invitations/${(await invite()).code}/accept`))
    expect((await ada.get(at)).status).toBe(200)
    expectOk(await ada.delete(`${at}/membership`))
    expect((await ada.post(`/invitations/${own.code}/accept`)).status).toBe(200)
  })
})
