import { expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { startServer, type TestServer } from '../../test/start-server.ts'
import { world } from '../../test/world.ts'

test('a key that is re-issued is dead at once in every process, however many there are', async () => {
  const { server: here, bots, owner } = await world({ bots: 1 })
  const [bot] = bots
  const there = await startServer({ DATABASE_URL: here.parts.config.DATABASE_URL ?? '' })
  expect(here.parts.bus.isAlone).toBe(false)
  const asked = async (server: TestServer, key: string): Promise<number> => {
    const answer = await Object.assign(new Bot(server, owner, bot.application), { key }).get('/me')
    return answer.status
  }
  for (let round = 0; round < 10; round += 1) {
    const old = bot.key
    expect([await asked(here, old), await asked(there, old)]).toEqual([200, 200])
    await bot.reissue()
    expect([await asked(there, old), await asked(here, old)]).toEqual([401, 401])
    expect([await asked(there, bot.key), await asked(here, bot.key)]).toEqual([200, 200])
  }
})
