import { describe, expect, test } from 'vitest'
import { Bot } from '../../test/bot.ts'
import { dataFolder } from '../../test/data-folder.ts'
import { testDatabase } from '../../test/database.ts'
import { Person } from '../../test/person.ts'
import { startPortico } from '../../test/portico-process.ts'

describe('quotas across a restart', () => {
  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'accept no more than 60 requests in 60 seconds, after %s',
    async (signal) => {
      const { url: DATABASE_URL } = await testDatabase()
      const settings = { DATABASE_URL, PORTICO_DATA: await dataFolder() }
      const first = await startPortico(settings)
      const owner = await new Person(first).setUp(/set-up\?code=(\w+)/.exec(first.output())?.[1] ?? '')
      const { key } = await Bot.of(first, owner, 'Bot')
      const accepted: number[] = []
      const ask = async ({ url }: { readonly url: string }): Promise<Response> => {
        const answer = await fetch(`${url}/api/v1/me`, { headers: { authorization: `Bot ${key}` } })
        // It was accepted before this moment.
        if (answer.status === 200) accepted.push(performance.now())
        return answer
      }
      const burst = (at: { readonly url: string }): Promise<Response[]> =>
        Promise.all(Array.from({ length: 80 }, () => ask(at)))

      await burst(first)
      expect(accepted).toHaveLength(60)
      await first.stop(signal)
      const second = await startPortico(settings)
      const refused = (await burst(second)).find(({ status }) => status === 429)
      const wait = Number(refused?.headers.get('retry-after'))
      expect(wait).toBeLessThanOrEqual(60)
      // The 61st accepted request is a window later than the first.
      const [earliest = 0, next = Infinity] = [accepted[0], accepted[60]]
      expect(next - earliest).toBeGreaterThan(59_000)
    },
  )
})
