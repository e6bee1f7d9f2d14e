import { Client } from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Deadline } from './deadline.ts'
import { openDatabase } from './open-database.ts'
import { commitGuarded, sendPrepared } from './prepared.ts'

/** A connection, and how many writes to it there were. */
async function watchedClient() {
  const { url } = await testDatabase()
  const { pool, clock, close } = await openDatabase({ url, log: silentLog })
  const client = await pool.connect()
  if (!(client instanceof Client)) throw new Error('the pool has other clients')
  const { stream } = client.connection
  const writes = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev')]
  const count = () => writes.reduce((sum, { mock }) => sum + mock.calls.length, 0)
  const dispose = async (): Promise<void> => {
    client.release()
    await close()
  }
  return { client, clock, writes: count, [Symbol.asyncDispose]: dispose }
}

const ONE = { sql: 'SELECT 1 AS one', parameters: [] }

describe('statements on one connection', () => {
  test('share a write if they are sent in the same turn of the event loop', async () => {
    await using watched = await watchedClient()
    const { client } = watched
    const sent = [sendPrepared(client, ONE), sendPrepared(client, ONE)]
    sent.push(Promise.resolve().then(() => sendPrepared(client, ONE)))
    const results = await Promise.all(sent)
    expect(results.map(({ rows }) => rows)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
    expect(watched.writes()).toBe(1)
    await sendPrepared(client, ONE)
    expect(watched.writes()).toBe(2)
  })

  test('share it with the transaction around them', async () => {
    await using watched = await watchedClient()
    const { rows } = await commitGuarded(watched.client, ONE, watched.clock, new Deadline())
    expect(rows).toEqual([{ one: 1 }])
    expect(watched.writes()).toBe(1)
  })
})
