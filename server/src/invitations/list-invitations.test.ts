import type { Invitation } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { expectOk } from '../../test/channel-fixture.ts'
import { closedChannel } from '../../test/closed-channel.ts'

describe('listInvitations', () => {
  test('shows all invitations to members who manage the channel, and to other inviters their own', async () => {
    const { at, owner, people, invite, role } = await closedChannel()
    const [ada] = people
    await invite()
    const own = expectOk(await ada.post<Invitation>(`${at}/invitations`, {}))
    const listed = async (person: Person) =>
      expectOk(await person.get<{ invitations: Invitation[] }>(`${at}/invitations`)).invitations

    expect(await listed(owner)).toHaveLength(2)
    expect(await listed(ada)).toEqual([own])

    expectOk(await owner.patch(`${at}/roles/${(await role('CHANNEL_MEMBER')).id}`, { rights: ['read_text_room'] }))
    expect(await ada.get(`${at}/invitations`)).toMatchObject({ status: 403, body: { requiredRight: 'invite_member' } })
  })
})
