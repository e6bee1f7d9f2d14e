import { RIGHTS, type Right } from '@portico/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../expect-refusal.ts'
import { expectShape } from '../expect-shape.ts'
import { send, botApiFixture } from '../bot-api-fixture.ts'
import { MEDIA_ON, type TestServer } from '../start-server.ts'
import { operationAt, ROWS } from './service-table.ts'
import { portal } from '../channel-fixture.ts'

// Without media nobody can talk, whatever the roles say.
await portal(MEDIA_ON)

const guarded = ROWS.flatMap((row) => (row.right ? [{ ...row, right: row.right }] : []))

/** docs/api-rules.md, “Roles and rights”: without the right in one of the bot’s roles nothing happens. */
describe('rights', () => {
  const fixture = botApiFixture()

  test.each([...new Set(guarded.map(({ right }) => right))])(
    'a bot whose role lacks %s gets 403 with requiredRight, and nothing changed',
    async (right) => {
      const { server, channel, bot, prepare, allow } = await fixture
      await allow(bot, ...RIGHTS.filter((one) => one !== right))

      for (const row of guarded.filter((row) => row.right === right)) {
        const [name, operation] = operationAt(row)
        const values = await prepare(operation)
        const before = await everything(server, channel.id)
        const answer = await send(bot, operation, values)
        const lacking = { message: `The role lacks the right ${right}.`, requiredRight: right }
        expectRefusal(answer, 'forbidden', lacking, `${name}: ${JSON.stringify(answer.body)}`)
        expect(await everything(server, channel.id)).toEqual(before)
      }
    },
  )

  test.each(guarded)('$at needs $right and no other right', async (row) => {
    const { bot, prepare, allow } = await fixture
    await allow(bot, row.right)
    const [name, operation] = operationAt(row)
    expectShape(name, await send(bot, operation, await prepare(operation)))
  })

  test('operations without a required right work for a role without rights', async () => {
    const { bot, prepare, allow } = await fixture
    await allow(bot)
    for (const row of ROWS.filter(({ right }) => right === undefined)) {
      const [name, operation] = operationAt(row)
      expectShape(name, await send(bot, operation, await prepare(operation)))
    }
  })

  test('talk_voice_room is not needed to join, but to publish', async () => {
    const { bot, call, allow } = await fixture
    await allow(bot, 'join_voice_room')
    expect(await call('joinVoice')).toMatchObject({ status: 200, body: { canPublish: false } })
    await allow(bot, 'join_voice_room', 'talk_voice_room')
    expect(await call('joinVoice')).toMatchObject({ status: 200, body: { canPublish: true } })
  })

  test('delete_text_msg_any does not let a bot delete messages of others', async () => {
    const { bot, owner, call, allow, messageOf } = await fixture
    await allow(bot, 'delete_text_msg_any', 'delete_text_msg_you_own')
    expect((await call('deleteMessage', { messageId: await messageOf(owner) })).status).toBe(403)
  })

  test('a room can allow and deny rights to a role for itself', async () => {
    const { bot, owner, at, rooms, role, give, call } = await fixture
    await give(bot, 'CHANNEL_ADMIN')
    const { id } = await role('CHANNEL_ADMIN')
    const override = (allow: Right[], deny: Right[]) =>
      owner.put(`${at}/rooms/${rooms.text}/overrides/${id}`, { allow, deny })

    expect((await override([], ['write_text_room'])).status).toBe(200)
    expect(await call('sendMessage')).toMatchObject({ status: 403, body: { requiredRight: 'write_text_room' } })
    expect((await override([], [])).status).toBe(200)
    expectShape('sendMessage', await call('sendMessage'))

    expect((await owner.patch(`${at}/roles/${id}`, { rights: [] })).status).toBe(200)
    expect((await override(['write_text_room'], [])).status).toBe(200)
    expectShape('sendMessage', await call('sendMessage'))
  })
})

/** Everything that a bot's request could change in a channel, with its events and audit log. */
async function everything(server: TestServer, channelId: string): Promise<unknown> {
  const { rows } = await sql`
    WITH here AS (SELECT ${channelId}::uuid AS id)
    SELECT
      (SELECT to_json(c) FROM channels c WHERE c.id = here.id) AS channel,
      (SELECT json_agg(m ORDER BY m.account_id) FROM members m WHERE m.channel_id = here.id) AS members,
      (SELECT json_agg(m ORDER BY m.id) FROM messages m WHERE m.channel_id = here.id) AS messages,
      (SELECT json_agg(r ORDER BY r) FROM reactions r JOIN messages m ON m.id = r.message_id
        WHERE m.channel_id = here.id) AS reactions,
      (SELECT json_agg(v ORDER BY v.account_id) FROM voice_sessions v WHERE v.channel_id = here.id) AS voice_sessions,
      (SELECT json_agg(k ORDER BY k.account_id) FROM kicks k WHERE k.channel_id = here.id) AS kicks,
      (SELECT json_agg(e ORDER BY e.seq) FROM events e WHERE e.channel_id = here.id) AS events,
      (SELECT json_agg(l ORDER BY l.id) FROM audit_log l WHERE l.channel_id = here.id) AS audit
    FROM here`.execute(server.services.database.kysely)
  return rows[0]
}
