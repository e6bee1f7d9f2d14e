import type { Output, StreamKey } from '@portico/contract'
import type * as api from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { auditLog } from '../../test/audit-log.ts'
import { channelFixture, expectOk, newPortal, portal } from '../../test/channel-fixture.ts'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { OpenPortal } from '../../test/open-portal.ts'
import type { Person } from '../../test/person.ts'
import { MEDIA_ON } from '../../test/start-server.ts'

type Issued = Output<typeof api.issueStreamKey>

const { server } = await portal(MEDIA_ON)

async function streamRoom() {
  const fixture = await channelFixture({ people: 1, room: 'stream' })
  const at = `/rooms/${fixture.room.id}/stream-key`
  return {
    ...fixture,
    ada: fixture.people[0],
    issue: (person: Person) => person.put<Issued>(at),
    get: async (person: Person) => expectOk(await person.get<StreamKey>(at)),
    revoke: (person: Person) => person.delete(at),
  }
}

describe('issueStreamKey', () => {
  test('shows the key once, and stores only its hash', async () => {
    const { owner, room, issue, get } = await streamRoom()
    const url = 'http://portico.test/whip/v1'
    expect(await get(owner)).toEqual({ url, key: null })
    const issued = await issue(owner)
    expect(issued.status).toBe(201)
    const { key, issuedAt } = expectOk(issued)
    expect(key).toMatch(/^portico_stream_[0-9A-Za-z]{46}$/)
    expect(await get(owner)).toEqual({ url, key: { hint: key.slice(0, 19), issuedAt, lastUsedAt: null } })
    const rows = await server.services.database.kysely
      .selectFrom('stream_keys')
      .selectAll()
      .where('room_id', '=', room.id)
      .execute()
    expect(JSON.stringify(rows)).not.toContain(key)
  })

  test('replaces the key, and leaves the keys of others alone', async () => {
    const { owner, ada, give, issue, get } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    const [first, hers] = [expectOk(await issue(owner)), expectOk(await issue(ada))]
    const second = expectOk(await issue(owner))
    expect(second.key).not.toBe(first.key)
    expect((await get(owner)).key?.hint).toBe(second.key.slice(0, 19))
    expect((await get(ada)).key?.hint).toBe(hers.key.slice(0, 19))
  })

  test('is only for those who may join the room and broadcast there', async () => {
    const { owner, ada, at, room, give, role, newRole, newRoom, issue } = await streamRoom()
    expectRefusal(await issue(ada), 'forbidden', { requiredRight: 'start_broadcast' })
    await give(ada, 'CHANNEL_MEMBER', await newRole('Presenter', ['start_broadcast']))
    expectOk(await issue(ada))
    expectOk(await owner.put(`${at}/members/${ada.id}/voice-mute`, {}))
    expectRefusal(await issue(ada), 'forbidden', {
      reason: 'muted_in_voice',
      requiredRight: 'start_broadcast',
      message: expect.any(String),
    })
    expectOk(await owner.delete(`${at}/members/${ada.id}/voice-mute`))
    const { id: roleId } = await role('CHANNEL_MEMBER')
    expectOk(await owner.put(`${at}/rooms/${room.id}/overrides/${roleId}`, { allow: [], deny: ['join_voice_room'] }))
    expectRefusal(await issue(ada), 'forbidden', { requiredRight: 'join_voice_room' })
    const voice = await newRoom('voice')
    expectRefusal(await owner.put(`/rooms/${voice.id}/stream-key`), 'unprocessable', { reason: 'wrong_room_type' })
  })

  test('is refused where no program can broadcast', async () => {
    const { owner, room } = await channelFixture({ room: 'stream', portal: await newPortal() })
    expectRefusal(await owner.put(`/rooms/${room.id}/stream-key`), 'unprocessable')
    expect(expectOk(await owner.get<StreamKey>(`/rooms/${room.id}/stream-key`))).toEqual({ url: null, key: null })
  })

  test('is in the audit log, like its revocation; neither the log nor an event contains the key', async () => {
    const { owner, at, channel, room, issue, revoke } = await streamRoom()
    const window = await OpenPortal.of(server, owner)
    const keys = [expectOk(await issue(owner)).key, expectOk(await issue(owner)).key]
    expectOk(await revoke(owner))
    expectOk(await revoke(owner))
    const entries = (await auditLog({ owner, at })).filter(({ targetId }) => targetId === room.id)
    expect(entries.map(({ action }) => action)).toEqual([
      'room.stream_key_revoked',
      'room.stream_key_reissued',
      'room.stream_key_issued',
      'room.created',
    ])
    const { rows } = await server.services.database.pool.query(
      `SELECT body::text AS text FROM events WHERE channel_id = $1
       UNION ALL SELECT l::text FROM audit_log l WHERE channel_id = $1`,
      [channel.id],
    )
    const written = JSON.stringify([rows, window.kinds])
    for (const key of keys) expect(written).not.toContain(key.slice(20))
  })
})

describe('a stream key', () => {
  test('ends with the membership and with the room', async () => {
    const { owner, ada, at, room, give, issue } = await streamRoom()
    await give(ada, 'CHANNEL_MODERATOR')
    expectOk(await issue(owner))
    expectOk(await issue(ada))
    const holders = async () => {
      const { kysely } = server.services.database
      const rows = await kysely.selectFrom('stream_keys').select('account_id').where('room_id', '=', room.id).execute()
      return rows.map(({ account_id }) => account_id)
    }
    expectOk(await owner.delete(`${at}/members/${ada.id}`))
    expect(await holders()).toEqual([owner.id])
    expectOk(await owner.delete(`${at}/rooms/${room.id}`))
    expect(await holders()).toEqual([])
  })

  test('is named in its person’s data export, without the key itself', async () => {
    const { owner, room, channel, issue } = await streamRoom()
    const { key, issuedAt } = expectOk(await issue(owner))
    const data = expectOk(await owner.get<{ streamKeys: unknown[] }>('/account/data'))
    expect(data.streamKeys).toEqual([
      {
        channelId: channel.id,
        roomId: room.id,
        room: 'workshop',
        hint: key.slice(0, 19),
        issuedAt,
        lastUsedAt: null,
      },
    ])
    expect(JSON.stringify(data)).not.toContain(key)
  })
})
