import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { channelFixture, portal } from '../test/channel-fixture.ts'
import { newId } from './operations/ids.ts'
import { sweep } from './maintenance.ts'

const logged: { msg: string; step?: string; err?: { message: string } }[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
const ready = portal({}, log)

test('several nodes may clean up at the same time', async () => {
  const { server } = await ready
  const { pool } = server.services.database
  const channels = [await channelFixture(), await channelFixture()].map(({ channel }) => channel.id)
  const long = `now() - interval '100 days'`
  const OLD = 12_000
  await pool.query(`
    INSERT INTO events (channel_id, event, audience, body, created_at)
    SELECT ('{${channels.join()}}'::uuid[])[1 + n % 2], 'message.created', 'bots', '{}', now() FROM generate_series(1, ${OLD}) n;
    UPDATE events SET created_at = ${long};
    INSERT INTO audit_log (action, created_at) SELECT 'instance.updated', ${long} FROM generate_series(1, ${OLD});
    INSERT INTO sign_in_failures (subject, failed_at) SELECT 'address:' || n, ${long} FROM generate_series(1, ${OLD}) n`)
  // The newest event is never removed.
  await channelFixture()
  await Promise.all([1, 2, 3].map(() => sweep(server.services)))
  expect(logged).toEqual([])
  for (const [table, time] of [
    ['events', 'created_at'],
    ['audit_log', 'created_at'],
    ['sign_in_failures', 'failed_at'],
  ]) {
    const { rows } = await pool.query(`SELECT FROM ${table} WHERE ${time} <= ${long} LIMIT 1`)
    expect(rows, table).toEqual([])
  }
})

test('a cleanup step that fails is logged by name, and every other step still runs', async () => {
  const { server } = await ready
  const { kysely } = server.services.database
  const id = newId()
  await sql`INSERT INTO audit_log (id, action, created_at) VALUES (${id}::uuid, 'instance.updated', '2001-01-01')`.execute(
    kysely,
  )
  await sql`INSERT INTO revoked_event_tokens (token_id, expires_at) VALUES (${newId()}::uuid, '2001-01-01')`.execute(
    kysely,
  )
  await sql`CREATE FUNCTION refuse_to_sweep() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'not today'; END $$`.execute(kysely)
  await sql`CREATE TRIGGER refuse_to_sweep BEFORE DELETE ON revoked_event_tokens
    FOR EACH ROW EXECUTE FUNCTION refuse_to_sweep()`.execute(kysely)

  await sweep(server.services)
  // The cleanup at the start of the server may have come to this step at the same time.
  expect(logged.length).toBeGreaterThan(0)
  for (const entry of logged) {
    expect(entry).toMatchObject({
      msg: 'cleanup step failed; it runs again in an hour',
      step: 'burnt tokens',
      err: { message: 'not today' },
    })
  }
  const left = await kysely.selectFrom('audit_log').select('id').where('id', '=', id).execute()
  expect(left).toEqual([])
})

test('audit entries are kept for 90 days by default', async () => {
  const { server } = await ready
  const { kysely } = server.services.database
  const [kept, expired] = [newId(), newId()]
  for (const [id, age] of [
    [kept, '89 days 23 hours'],
    [expired, '90 days 1 hour'],
  ] as const) {
    await sql`INSERT INTO audit_log (id, action, created_at)
      VALUES (${id}::uuid, 'instance.updated', now() - ${age}::interval)`.execute(kysely)
  }
  await sweep(server.services)
  const left = await kysely.selectFrom('audit_log').select('id').where('id', 'in', [kept, expired]).execute()
  expect(left).toEqual([{ id: kept }])
})
