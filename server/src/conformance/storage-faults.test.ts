import { setTimeout as sleep } from 'node:timers/promises'
import { ERRORS } from '@portico/contract'
import type { PoolClient } from 'pg'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../../test/expect-refusal.ts'
import { done, world } from '../../test/world.ts'

const NEW = { commands: [{ name: '/new', description: 'New' }] }
const OLD = { commands: [{ name: '/old', description: 'Old', usage: null, position: 1 }] }

/** Decisions, part 1: what is answered when storage does not, or fails. */
describe('storage faults', () => {
  /** A bot with a list of commands, and somebody who holds on to its rows. */
  const beset = async () => {
    const { server, bots } = await world({ bots: 1, quotas: 'usual' })
    const [bot] = bots
    done(await bot.put('/commands', { commands: [{ name: '/old', description: 'Old' }] }))
    const hold = async (table: 'applications' | 'commands', column: string): Promise<() => Promise<void>> => {
      const client: PoolClient = await server.parts.database.pool.connect()
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
    expect(done(await bot.get('/commands'))).toEqual(OLD)
    expect((await bot.put('/commands', NEW)).headers.get('x-ratelimit-remaining')).toBe('18')
  })

  test.concurrent('504: statements that are each in time and late together; what was begun is rolled back', async () => {
    const { bot, hold } = await beset()
    const releaseFirst = await hold('applications', 'id')
    const releaseSecond = await hold('commands', 'application_id')
    const asked = bot.put('/commands', NEW)
    await sleep(6000)
    await releaseFirst()
    await sleep(6000)
    await releaseSecond()
    expectRefusal(await asked, 'timeout', { message: ERRORS.timeout.message })
    expect(done(await bot.get('/commands'))).toEqual(OLD)
  })

  test('500: a fault of ours tells nothing of its inside', async () => {
    const { server, bot } = await beset()
    const { pool } = server.parts.database
    await pool.query('ALTER TABLE commands RENAME COLUMN usage TO usage_gone')
    try {
      const answer = await bot.get('/commands')
      expectRefusal(answer, 'fault', { message: ERRORS.fault.message })
      expect(JSON.stringify(answer.body)).not.toMatch(/usage|column|select|stack|\.ts/i)
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60')
    } finally {
      await pool.query('ALTER TABLE commands RENAME COLUMN usage_gone TO usage')
    }
    expect((await bot.get('/commands')).status).toBe(200)
  })
})
