import { randomUUID } from 'node:crypto'
import { channelChanged } from '@portico/contract'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { queryDatabase } from '../../test/query-database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { appendEvent, newEvent, type Appended } from './emit-event.ts'
import { groupCommit } from './group-commit.ts'
import { Deadline } from '../db/deadline.ts'
import { openDatabase } from '../db/open-database.ts'

/** A table whose rows store the transaction that wrote them. */
async function ledger() {
  const { url } = await testDatabase()
  const database = await openDatabase({ url, log: silentLog })
  const { pool, close } = database
  const commit = groupCommit(database)
  await pool.query(`
    CREATE TABLE owners (id integer PRIMARY KEY);
    INSERT INTO owners SELECT generate_series(1, 3);
    CREATE TABLE entries (
      id integer PRIMARY KEY, owner_id integer NOT NULL REFERENCES owners, tx text NOT NULL DEFAULT pg_current_xact_id()::text)`)
  const add = (id: number, owner = 1) =>
    commit({ sql: 'INSERT INTO entries (id, owner_id) VALUES ($1, $2)', parameters: [id, owner] }, new Deadline())
  const entries = async () =>
    (await pool.query<{ id: number; tx: string }>('SELECT id, tx FROM entries ORDER BY id')).rows
  return { url, pool, add, entries, [Symbol.asyncDispose]: close }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

describe('groupCommit', () => {
  test('runs every statement, and those of one batch in one transaction', async () => {
    await using book = await ledger()
    await Promise.all(upTo(250).map((id) => book.add(id)))
    const written = await book.entries()
    expect(written.map(({ id }) => id)).toEqual(upTo(250))
    expect(new Set(written.map(({ tx }) => tx)).size).toBe(3)
  })

  test('rejects only those that fail', async () => {
    await using book = await ledger()
    await book.add(7)
    const outcomes = await Promise.allSettled([...upTo(20).map((id) => book.add(id)), book.add(21, 99)])
    const failed = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index + 1] : []))
    expect(failed).toEqual([7, 21])
    expect((await book.entries()).map(({ id }) => id)).toEqual(upTo(20))
  })

  test('does not delay the others when one waits for a row', async () => {
    await using book = await ledger()
    const holder = await book.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM owners WHERE id = 2 FOR UPDATE')

    const waiting = book.add(100, 2)
    await Promise.all(upTo(20).map((id) => book.add(id)))
    await Promise.all([book.add(21), book.add(22)])
    expect((await book.entries()).map(({ id }) => id)).toEqual(upTo(22))

    await holder.query('ROLLBACK')
    holder.release()
    await waiting
    expect((await book.entries()).map(({ id }) => id)).toEqual([...upTo(22), 100])
  })

  test('has committed everything it acknowledged, even when connections break', async () => {
    await using book = await ledger()
    const acknowledged: number[] = []
    const adding = Promise.allSettled(
      upTo(300).map(async (id) => {
        await new Promise((resolve) => setTimeout(resolve, id))
        await book.add(id)
        acknowledged.push(id)
      }),
    )
    for (let cut = 0; cut < 5; cut += 1) {
      await queryDatabase(
        book.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND datname = current_database()`,
      )
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await adding
    expect(acknowledged.length).toBeGreaterThan(0)
    // A connection that was cut last may still be in the pool.
    const committed = () =>
      book.entries().then(
        (rows) => rows.map(({ id }) => id),
        () => [],
      )
    await expect.poll(committed).toEqual(expect.arrayContaining(acknowledged))
  })

  test('gives each event of a batch its own position, later than everything in its channel', async () => {
    const { url } = await testDatabase()
    const database = await openDatabase({ url, log: silentLog })
    const { pool, close } = database
    const commit = groupCommit(database)
    const channels = [randomUUID(), randomUUID(), randomUUID()]
    // The clock was an hour ahead when this one was written.
    await pool.query(
      `INSERT INTO events (channel_id, event, audience, body, created_at)
      VALUES ($1, 'channel.changed', 'portal', '{}', now() + interval '1 hour')`,
      [channels[0]],
    )
    const append = async (number: number) => {
      const channelId = channels[number % 3]!
      const event = newEvent(null, channelChanged, { channelId }, { subject: String(number) })
      const [row] = await commit(appendEvent(event, null), new Deadline())
      return { ...(row as Appended), channelId, subject: String(number) }
    }
    const appended = await Promise.all(upTo(60).map(append))
    const { rows } = await pool.query<{
      seq: number
      channelId: string
      subject: string
      tx: string
      isLater: boolean
    }>(`
      SELECT * FROM (
        SELECT seq, channel_id AS "channelId", body::jsonb -> 'data' ->> 'subject' AS subject, xmin::text AS tx,
          coalesce(created_at > lag(created_at) OVER (PARTITION BY channel_id ORDER BY seq), true) AS "isLater"
        FROM events) logged
      WHERE subject IS NOT NULL`)
    await close()
    expect(rows).toHaveLength(60)
    expect(new Set(rows.map(({ tx }) => tx)).size).toBe(1)
    for (const { seq, channelId, subject } of appended) {
      expect(rows).toContainEqual(expect.objectContaining({ seq, channelId, subject }))
    }
    expect(rows.filter(({ isLater }) => !isLater)).toEqual([])
  })
})
