import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { isUnavailable } from './violations.ts'

test('a request that outlives the database connections of a stopping server is no internal error', async () => {
  const pool = new Pool()
  await pool.end()
  const error: unknown = await pool.connect().catch((reason: unknown) => reason)
  expect(isUnavailable(error)).toBe(true)
  expect(isUnavailable(new Error('Something else'))).toBe(false)
})
