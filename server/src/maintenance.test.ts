import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { channelFixture, portal } from '../test/channel-fixture.ts'
import { eventually } from '../test/eventually.ts'
import { signInPortal } from '../test/sign-in-fixture.ts'
import { Website } from '../test/website.ts'
import { newId } from './operations/ids.ts'
import { MAINTENANCE_LOCK, sweep, sweepAlone } from './maintenance.ts'

const logged: { msg: string; step?: string; err?: { message: string } }[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
const ready = portal({}, log)
/** Other work of the server may fail as well on a busy machine. */
const failedSteps = () => logged.filter(({ step }) => step !== undefined)

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
  expect(failedSteps()).toEqual([])
  for (const [table, time] of [
    ['events', 'created_at'],
    ['audit_log', 'created_at'],
    ['sign_in_failures', 'failed_at'],
  ]) {
    const { rows } = await pool.query(`SELECT FROM ${table} WHERE ${time} <= ${long} LIMIT 1`)
    expect(rows, table).toEqual([])
  }
})

test('a backlog is deleted in statements of at most 1,000 rows each, so that none runs into its timeout', async () => {
  const { server } = await ready
  const { pool } = server.services.database
  const { owner } = await channelFixture()
  const site = await Website.of(await signInPortal(1), owner)
  await site.codeFor(owner)
  const many = `generate_series(1, 2500) n`
  const long = `now() - interval '100 days'`
  const hash = `sha256(n::text::bytea)`
  // More grants that are in use than a page has, among those that are not.
  await pool.query(`
    INSERT INTO sign_in_failures (subject, failed_at) SELECT 'address:backlog' || n, ${long} FROM ${many};
    INSERT INTO sessions (id, account_id, token_hash, device, address, last_used_at)
      SELECT gen_random_uuid(), '${owner.id}', ${hash}, '', '', ${long} FROM ${many};
    INSERT INTO ended_sessions (token_hash, account_id, reason, ended_at)
      SELECT sha256(('ended' || n)::bytea), '${owner.id}', 'revoked', ${long} FROM ${many};
    INSERT INTO idempotency_keys (account_id, key, request_hash, answer, created_at)
      SELECT '${owner.id}', n, '', '{}', ${long} FROM ${many};
    INSERT INTO revoked_event_tokens (token_id, expires_at) SELECT gen_random_uuid(), ${long} FROM ${many};
    INSERT INTO audit_log (action, created_at) SELECT 'instance.updated', ${long} FROM ${many};
    INSERT INTO oauth_sessions (id, uid, payload, expires_at) SELECT n, n, '{}', ${long} FROM ${many};
    INSERT INTO oauth_interactions (id, payload, expires_at) SELECT n, '{}', ${long} FROM ${many};
    INSERT INTO oauth_grants (id, account_id, application_id, payload, created_at, expires_at)
      SELECT n, '${owner.id}', '${site.applicationId}', '{}', ${long}, now() + interval '1 hour' FROM ${many};
    INSERT INTO oauth_tokens (id_hash, kind, grant_id, scopes, payload, expires_at)
      SELECT ${hash}, 'AccessToken', n, '{}', '{}', now() + CASE WHEN n % 2 = 0 THEN interval '1 hour' ELSE '-1 hour' END
      FROM ${many};
    INSERT INTO deliveries (id, application_id, event, body, state, created_at)
      SELECT gen_random_uuid(), '${site.applicationId}', 'ping', '{}', 'delivered', ${long} FROM ${many};
    CREATE TABLE deletions (name text, rows bigint);
    CREATE FUNCTION count_deletions() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN INSERT INTO deletions SELECT TG_TABLE_NAME, count(*) FROM gone; RETURN NULL; END $$;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname <> 'deletions'
      LOOP EXECUTE format('CREATE TRIGGER count_deletions AFTER DELETE ON %I REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION count_deletions()', name); END LOOP;
    END $$`)

  await sweep(server.services)
  const { rows } = await pool.query<{ name: string; largest: number; total: number }>(
    'SELECT name, max(rows)::int AS largest, sum(rows)::int AS total FROM deletions GROUP BY name HAVING sum(rows) > 0',
  )
  expect(rows.filter(({ largest }) => largest > 1000)).toEqual([])
  const deleted = new Map(rows.map(({ name, total }) => [name, total]))
  for (const name of ['sign_in_failures', 'sessions', 'idempotency_keys', 'revoked_event_tokens', 'audit_log']) {
    expect(deleted.get(name), name).toBeGreaterThanOrEqual(2500)
  }
  for (const name of ['ended_sessions', 'oauth_sessions', 'oauth_interactions', 'deliveries']) {
    expect(deleted.get(name), name).toBeGreaterThanOrEqual(2500)
  }
  expect(deleted.get('oauth_tokens')).toBeGreaterThanOrEqual(1250)
  const { rows: grants } = await pool.query(`SELECT FROM oauth_grants WHERE created_at <= ${long}`)
  expect(grants).toHaveLength(1250)
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
  expect(failedSteps().length).toBeGreaterThan(0)
  for (const entry of failedSteps()) {
    expect(entry).toMatchObject({
      msg: 'cleanup step failed; it runs again in an hour',
      step: 'revoked event tokens',
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

test('the other nodes leave it to the one that cleans up', async () => {
  const { server } = await ready
  const { kysely, pool } = server.services.database
  const id = newId()
  await sql`INSERT INTO audit_log (id, action, created_at) VALUES (${id}::uuid, 'instance.updated', '2001-01-01')`.execute(
    kysely,
  )
  const isThere = async () =>
    (await kysely.selectFrom('audit_log').select('id').where('id', '=', id).execute()).length === 1
  const otherNode = await pool.connect()
  await otherNode.query('SELECT pg_advisory_lock($1)', [MAINTENANCE_LOCK])
  await sweepAlone(server.services)
  expect(await isThere()).toBe(true)

  // It dies.
  otherNode.release(true)
  await eventually(async () => {
    await sweepAlone(server.services)
    return isThere()
  }).toBe(false)
})
