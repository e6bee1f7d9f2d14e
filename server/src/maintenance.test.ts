import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { portal } from '../test/channel-fixture.ts'
import { newId } from './operations/ids.ts'
import { sweep } from './maintenance.ts'

const logged: { msg: string; step?: string; err?: { message: string } }[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
const ready = portal({}, log)

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
