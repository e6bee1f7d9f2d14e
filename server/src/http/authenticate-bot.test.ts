import { describe, expect, test, vi } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { eventually } from '../../test/eventually.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'
import { portal, world } from '../../test/world.ts'

/** How many statements a process sends while something is done. */
async function statementsOf({ parts }: TestServer, work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(parts.database.pool, 'query')
  try {
    await work()
    // Words between processes and looks at the log come and go by themselves.
    return query.mock.calls.filter(([statement]) => /^(keys|profiles)/.test(nameOf(statement))).length
  } finally {
    query.mockRestore()
  }
}

function nameOf(statement: unknown): string {
  return typeof statement === 'object' && statement !== null && 'name' in statement ? String(statement.name) : ''
}

describe('a key', () => {
  test('is not read again by a process that is alone', async () => {
    const { server, bots } = await world({ bots: 1 })
    const [bot] = bots
    for (let warm = 0; warm < 3; warm += 1) expect((await bot.get('/me')).status).toBe(200)
    const statements = await statementsOf(server, async () => {
      for (let next = 0; next < 5; next += 1) expect((await bot.get('/me')).status).toBe(200)
    })
    expect(statements).toBe(0)
  })

  test('is dead at once in every process when it is re-issued, however many there are', async () => {
    const { server: here } = await portal()
    const { bots, owner } = await world({ bots: 1 })
    const [bot] = bots
    const there = await startServer({ DATABASE_URL: here.parts.config.DATABASE_URL ?? '' })
    await eventually(() => here.parts.bus.isAlone).toBe(false)
    const asked = (server: TestServer, key: string) =>
      Object.assign(new Bot(server, owner, bot.application), { key })
        .get('/me')
        .then(({ status }) => status)
    for (let round = 0; round < 10; round += 1) {
      const old = bot.key
      expect([await asked(here, old), await asked(there, old)]).toEqual([200, 200])
      await bot.reissue()
      expect([await asked(there, old), await asked(here, old)]).toEqual([401, 401])
      expect([await asked(there, bot.key), await asked(here, bot.key)]).toEqual([200, 200])
    }
  })
})
