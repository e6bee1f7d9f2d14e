import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { silentLog } from '../../test/silent-log.ts'
import { Deadline, DeadlinePassed } from './deadline.ts'
import { openDatabase } from './open-database.ts'
import { takeClient } from './take-client.ts'

/** Suspends the process as SIGSTOP does: timers and sockets wait. */
function suspend(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

describe('takeClient', () => {
  test('destroys the connection at the deadline', async () => {
    const { url } = await testDatabase()
    const { pool, close } = await openDatabase({ url, log: silentLog })
    const { client, release } = await takeClient(pool, new Deadline(300))
    await expect(client.query('SELECT pg_sleep(60)')).rejects.toThrow(DeadlinePassed)
    release(true)
    await close()
  })

  test('reads what arrived while the process was suspended past the deadline', async () => {
    const { url } = await testDatabase()
    const { pool, close } = await openDatabase({ url, log: silentLog })
    const { client, release } = await takeClient(pool, new Deadline(3000))
    await client.query('CREATE TABLE kept (id integer)')
    const inserted = client.query('INSERT INTO kept VALUES (1)')
    // The statement is on its way to the database, which commits it.
    await new Promise((sent) => setImmediate(sent))
    suspend(6000)
    expect(await inserted).toMatchObject({ rowCount: 1 })
    release()
    await close()
  })
})
