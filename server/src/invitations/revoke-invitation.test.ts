import type { Invitation } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { expectOk } from '../../test/channel-fixture.ts'
import { closedChannel } from '../../test/closed-channel.ts'

describe('revokeInvitation', () => {
  test('is for its creator and for members who manage the channel', async () => {
    const { at, owner, people, invite } = await closedChannel()
    const [ada] = people
    const theirs = await invite()
    const own = expectOk(await ada.post<Invitation>(`${at}/invitations`, {}))
    expect(await ada.delete(`${at}/invitations/${theirs.id}`)).toMatchObject({
      status: 403,
      body: { requiredRight: 'manage_channel' },
    })
    expect((await ada.delete(`${at}/invitations/${own.id}`)).status).toBe(204)
    expect((await owner.delete(`${at}/invitations/${theirs.id}`)).status).toBe(204)
    expect(await owner.delete(`${at}/invitations/${newId()}`)).toMatchObject({
      status: 422,
      body: { reason: 'no_such_invitation' },
    })
  })
})
