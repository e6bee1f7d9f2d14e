import type { AuditEntry } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

describe('deleteChannel', () => {
  test('is for the owner, who must repeat the name', async () => {
    const { administrator } = await portal()
    const { at, channel, owner, people, give } = await channelFixture({ people: 1 })
    const [admin] = people
    await give(admin, 'CHANNEL_ADMIN')

    expect(await admin.delete(at, { name: 'Ateliers' })).toMatchObject({
      status: 403,
      body: { reason: 'not_the_owner' },
    })
    expect(await owner.delete(at, { name: 'ateliers' })).toMatchObject({ status: 422, body: { reason: 'wrong_name' } })
    expect((await owner.delete(at, { name: 'Ateliers' })).status).toBe(204)

    expect((await owner.get(at)).status).toBe(403)
    expect(expectOk(await admin.get('/channels'))).toEqual({ channels: [], hasMore: false })
    const { entries } = expectOk(await administrator.get<{ entries: AuditEntry[] }>('/audit-log'))
    expect(entries).toContainEqual(expect.objectContaining({ action: 'channel.deleted', targetId: channel.id }))
  })

  test('deletes everything in it, even while others join and change it', async () => {
    const { at, owner, people, newPerson } = await channelFixture({ people: 2 })
    const [bo, cy] = people
    const dee = await newPerson()
    expectOk(await owner.post(`${at}/rooms`, { name: 'den', type: 'text', private: true }))

    const answers = await Promise.all([
      dee.post(`${at}/join`),
      bo.put(`${at}/members/${bo.id}/nickname`, { nickname: 'Bobo' }),
      owner.delete(at, { name: 'Ateliers' }),
      cy.delete(`${at}/membership`),
      owner.post(`${at}/invitations`, {}),
    ])
    expect(answers[2].status).toBe(204)
    for (const { status } of answers) expect(status).toBeLessThan(500)
  })
})
