import { describe, expect, test } from 'vitest'
import { Person } from '../../test/person.ts'
import { expectOk } from '../../test/channel-fixture.ts'
import { closedChannel, expireInvitation } from '../../test/closed-channel.ts'

const notValid = { status: 422, body: { reason: 'invitation_not_valid' } }

describe('getInvitation', () => {
  test('shows the channel of a link to anyone, until the link stops working', async () => {
    const { server, channel, invite } = await closedChannel()
    const nobody = new Person(server)
    const { code, id, expiresAt } = await invite()
    expect(expectOk(await nobody.get(`/invitations/${code}`))).toEqual({
      code,
      channel: { id: channel.id, name: 'Ateliers', description: null, memberCount: 2 },
      expiresAt,
    })
    await expireInvitation(server, id)
    expect(await nobody.get(`/invitations/${code}`)).toMatchObject(notValid)
    expect(await nobody.get('/invitations/AAAAAAAAAAAAAAAAAAAAAA')).toMatchObject(notValid)
  })
})
