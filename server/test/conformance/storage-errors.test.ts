import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS } from '@portico/contract'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { expectRefusal } from '../expect-refusal.ts'
import { expectOk, channelFixture } from '../channel-fixture.ts'

const NEW = { commands: [{ name: '/new', description: 'New' }] }
const OLD = { commands: [{ name: '/old', description: 'Old', usage: null, position: 1 }] }

/** docs/api-rules.md, “Deadlines”: the answers when the database is slow or fails. */
describe('storage errors', () => {
  /** A bot with commands, and a transaction that locks its rows. */
  const beset = async () => {
    const { server, bots } = await channelFixture({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    expectOk(await bot.put('/commands', { commands: [{ name: '/old', description: 'Old' }] }))
    const hold = async (table: 'applications' | 'commands', column: string): Promise<() => Promise<void>> => {
      const client: PoolClient = await server.services.database.pool.connect()
      await client.query('BEGIN')
      await client.query(`SELECT FROM ${table} WHERE ${column} = $1 FOR UPDATE`, [bot.application.id])
      return async () => {
        await client.query('ROLLBACK')
        client.release()
      }
    }
    return { server, bot, hold }
  }

  test.concurrent('504: a statement that is not answered within 10 s; nothing changed, no write quota was taken', async () => {
    const { bot, hold } = await beset()
    const release = await hold('applications', 'id')
    const answer = await bot.put('/commands', NEW)
    await release()
    expectRefusal(answer, 'timeout', { message: ERRORS.timeout.message })
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('19')
    expect(expectOk(await bot.get('/commands'))).toEqual(OLD)
    expect((await bot.put('/commands', NEW)).headers.get('x-ratelimit-remaining')).toBe('18')
  })

  test.concurrent('504: statements that are fast enough alone but too slow together; the transaction is rolled back', async () => {
    const { bot, hold } = await beset()
    const releaseFirst = await hold('applications', 'id')
    const releaseSecond = await hold('commands', 'application_id')
    const response = bot.put('/commands', NEW)
    await sleep(6000)
    await releaseFirst()
    await sleep(6000)
    await releaseSecond()
    expectRefusal(await response, 'timeout', { message: ERRORS.timeout.message })
    expect(expectOk(await bot.get('/commands'))).toEqual(OLD)
  })

  test('504: the server ends the connection of a request', async () => {
    const { server, bot, hold } = await beset()
    const release = await hold('applications', 'id')
    const response = bot.put('/commands', NEW)
    const endBlocked = async (): Promise<number | null> => {
      const { rowCount } = await server.services.database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
      )
      return rowCount
    }
    await eventually(endBlocked).toBeGreaterThan(0)
    expectRefusal(await response, 'timeout', { message: ERRORS.timeout.message })
    await release()
    expect(expectOk(await bot.get('/commands'))).toEqual(OLD)
  })

  test('504: the disk is full, and /readyz reports that until there is space again', async () => {
    const { server, bot } = await beset()
    const { pool } = server.services.database
    const ready = async () => {
      const answer = await fetch(`${server.url}/readyz`)
      return { status: answer.status, body: await answer.json() }
    }
    await pool.query(`
      CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
      END $$;
      CREATE FUNCTION disk_full_event() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
      END $$;
      CREATE TRIGGER disk_full BEFORE INSERT ON commands EXECUTE FUNCTION disk_full();
      CREATE EVENT TRIGGER disk_full ON ddl_command_start WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION disk_full_event()`)
    try {
      expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } })
      // A node of a cluster learns of it when it writes.
      await eventually(async () => {
        expectRefusal(await bot.put('/commands', NEW), 'timeout', {
          message: 'Nothing can be stored: the portal’s disk is full.',
        })
        return ready()
      }).toEqual({ status: 503, body: { status: 'disk full' } })
      expect(expectOk(await bot.get('/commands'))).toEqual(OLD)
    } finally {
      await pool.query('DROP EVENT TRIGGER disk_full; DROP TRIGGER disk_full ON commands')
    }
    expect(await ready()).toEqual({ status: 200, body: { status: 'ready' } })
    expectOk(await bot.put('/commands', NEW))
  })

  test('a change is tried again when the clock of the database was set', async () => {
    const { server, bots, room } = await channelFixture({ bots: 1 })
    const { pool } = server.services.database
    const guard = await pool.query<{ code: string }>(`SELECT pg_get_functiondef('require_in_time'::regproc) AS code`)
    await pool.query(`
      CREATE SEQUENCE refusals;
      CREATE OR REPLACE FUNCTION require_in_time(deadline timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('refusals') = 1 THEN
          RAISE EXCEPTION 'the deadline of the request has passed' USING ERRCODE = 'POR02';
        END IF;
        RETURN clock_timestamp();
      END $$`)
    try {
      const text = 'Once more'
      expectOk(await bots[0].post(`/rooms/${room.id}/messages`, { channelId: room.channelId, text }))
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM messages WHERE text = $1',
        [text],
      )
      expect(rows[0]?.count).toBe(1)
    } finally {
      await pool.query(guard.rows[0]!.code)
    }
  })

  test('500: an internal error reveals nothing', async () => {
    const { server, bot } = await beset()
    const { pool } = server.services.database
    await pool.query('ALTER TABLE commands RENAME COLUMN usage TO usage_gone')
    try {
      const answer = await bot.get('/commands')
      expectRefusal(answer, 'internalError', { message: ERRORS.internalError.message })
      expect(JSON.stringify(answer.body)).not.toMatch(/usage|column|select|stack|\.ts/i)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
    } finally {
      await pool.query('ALTER TABLE commands RENAME COLUMN usage_gone TO usage')
    }
    expect((await bot.get('/commands')).status).toBe(200)
  })
})
