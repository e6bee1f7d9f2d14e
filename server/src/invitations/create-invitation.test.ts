import { LIMITS, type AuditEntry, type Invitation } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectOk } from '../../test/channel-fixture.ts'
import { closedChannel } from '../../test/closed-channel.ts'

describe('createInvitation', () => {
  test('creates a link that expires after a week by default', async () => {
    const { at, owner, invite } = await closedChannel()
    const invitation = await invite()
    expect(invitation).toMatchObject({
      url: `http://portico.test/invite/${invitation.code}`,
      createdBy: { id: owner.id, name: owner.name },
      maxUses: null,
      uses: 0,
    })
    expect(invitation.code).toMatch(/^[A-Za-z0-9_-]{22}$/)
    const life = Date.parse(invitation.expiresAt ?? '') - Date.parse(invitation.createdAt)
    expect(life).toBe(7 * 24 * 60 * 60 * 1000)
    expect((await invite({ lifeSec: null })).expiresAt).toBeNull()

    const { invitations } = expectOk(await owner.get<{ invitations: Invitation[] }>(`${at}/invitations`))
    expect(invitations).toHaveLength(2)
    expect(invitations[1]).toEqual(invitation)
  })

  test('does not write the code to the audit log', async () => {
    const { at, owner, invite, newPerson } = await closedChannel()
    const { code, id } = await invite({ maxUses: 3 })
    expectOk(await (await newPerson()).post(`/invitations/${code}/accept`))
    expectOk(await owner.delete(`${at}/invitations/${id}`))
    const log = expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log`))
    expect(log.entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['invitation.created', 'member.joined', 'invitation.revoked']),
    )
    expect(JSON.stringify(log)).not.toContain(code)
  })

  test('enforces the limit of working links, even for concurrent requests', async () => {
    const { at, channel, server, owner } = await closedChannel()
    await sql`
      INSERT INTO invitations (id, channel_id, code, expires_at, max_uses, uses)
      SELECT gen_random_uuid(), ${channel.id}::uuid, gen_random_uuid()::text,
        CASE WHEN n % 3 = 0 THEN now() - interval '1 hour' END, 1, CASE WHEN n % 3 = 1 THEN 1 ELSE 0 END
      FROM generate_series(1, ${(LIMITS.invitationsOfChannel - 1) * 3}::int) n`.execute(server.services.database.kysely)
    const answers = await Promise.all([1, 2, 3].map(() => owner.post(`${at}/invitations`, {})))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422])
    const { invitations } = expectOk(await owner.get<{ invitations: Invitation[] }>(`${at}/invitations`))
    expect(invitations).toHaveLength(LIMITS.invitationsOfChannel)
  })

  test('requires the right', async () => {
    const { at, owner, people, role } = await closedChannel()
    const member = await role('CHANNEL_MEMBER')
    expectOk(await owner.patch(`${at}/roles/${member.id}`, { rights: [] }))
    expect(await people[0].post(`${at}/invitations`, {})).toMatchObject({
      status: 403,
      body: { requiredRight: 'invite_member' },
    })
  })
})
