import { LIMITS, type AuditEntry, type Invitation, type OwnChannel } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../operations/ids.ts'
import { Person } from '../../test/person.ts'
import type { TestServer } from '../../test/start-server.ts'
import { expectOk, portal, channelFixture } from '../../test/channel-fixture.ts'

const notValid = { status: 422, body: { reason: 'invitation_not_valid' } }

async function closedChannel() {
  const made = await channelFixture({ people: 1 })
  expectOk(await made.owner.patch(made.at, { open: false }))
  const invite = async (wish: object = {}) =>
    expectOk(await made.owner.post<Invitation>(`${made.at}/invitations`, wish))
  return { ...made, invite }
}

async function expire(server: TestServer, id: string): Promise<void> {
  await sql`UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = ${id}::uuid`.execute(
    server.services.database.kysely,
  )
}

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
    await expire(server, id)
    expect(await nobody.get(`/invitations/${code}`)).toMatchObject(notValid)
    expect(await nobody.get('/invitations/AAAAAAAAAAAAAAAAAAAAAA')).toMatchObject(notValid)
  })
})

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
    await expire(server, old.id)
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

describe('signUp with an invitation', () => {
  test('works while registration is closed, and creates no account if the invitation doesn’t work', async () => {
    const { administrator } = await portal()
    const { server, at, invite } = await closedChannel()
    const { code } = await invite({ maxUses: 1 })
    expectOk(await administrator.patch('/instance', { registrationOpen: false }))
    try {
      await expect(new Person(server).signUp()).rejects.toThrow('by invitation')
      const ada = await new Person(server).signUp({ invitation: code })
      expect((await ada.get(at)).status).toBe(200)

      const late = new Person(server)
      await expect(late.signUp({ invitation: code })).rejects.toThrow('isn’t valid')
      expect((await late.post('/sessions', { name: late.name, password: late.password })).status).toBe(401)
    } finally {
      expectOk(await administrator.patch('/instance', { registrationOpen: true }))
    }
  })
})
