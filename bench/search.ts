import { parseArgs } from 'node:util'
import { startPortico } from './api/start-portico.ts'
import { measureSearches, measureSends } from './search/measure.ts'
import { seed } from './search/seed.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '5000000' }, rounds: { type: 'string', default: '5' } },
})

const portico = await startPortico({ profileTo: undefined })
try {
  const seeded = await seed(portico, Number(values.messages))
  const rounds = Number(values.rounds)
  await measureSearches(seeded, rounds)
  await measureSends(seeded, rounds)
} finally {
  await portico.stop()
}
