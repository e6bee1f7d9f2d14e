import pg, { Pool } from 'pg'
import { expect, test } from 'vitest'
import { isDiskFull, isUnavailable } from './violations.ts'

test('a request that outlives the database connections of a stopping server is no internal error', async () => {
  const pool = new Pool()
  await pool.end()
  const error: unknown = await pool.connect().catch((reason: unknown) => reason)
  expect(isUnavailable(error)).toBe(true)
  expect(isUnavailable(new Error('Something else'))).toBe(false)
})

test('a connection that PostgreSQL can’t open for lack of disk space is no internal error', () => {
  // Its code is that of an internal error of PostgreSQL.
  const error = Object.assign(new pg.DatabaseError('could not write init file', 100, 'error'), { code: 'XX000' })
  expect([isUnavailable(error), isDiskFull(error)]).toEqual([true, true])
  const other = Object.assign(new pg.DatabaseError('cache lookup failed', 100, 'error'), { code: 'XX000' })
  expect([isUnavailable(other), isDiskFull(other)]).toEqual([false, false])
})
