import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startProgram } from './api/child-program.ts'
import { startPortico } from './api/start-portico.ts'
import { measureSearches, measureSends } from './search/measure.ts'
import { measureRate, type Searched } from './search/rate.ts'
import { seed } from './search/seed.ts'
import { Stopping } from './stopping.ts'

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '5' },
    baseline: { type: 'string' },
    profile: { type: 'string' },
  },
})
const rounds = Number(values.rounds)

const stopping = new Stopping()
try {
  const programs = [await start('now', undefined)]
  if (values.baseline !== undefined) programs.unshift(await start('before', resolve(values.baseline)))
  const measures = {
    searches: () => each(({ seeded }) => measureSearches(seeded, rounds)),
    sends: () => each(({ seeded }) => measureSends(seeded, rounds)),
    rate: async () => {
      const load = startProgram('load-program.ts')
      stopping.add(load.stop)
      await measureRate(load, programs, { rounds, milliseconds: Number(values.seconds) * 1000 })
    },
  }
  for (const [name, measure] of Object.entries(measures)) if (name.includes(values.only)) await measure()

  async function each(measure: (program: Searched) => Promise<void>): Promise<void> {
    for (const program of programs) {
      if (programs.length > 1) console.log(`${program.name}:`)
      await measure(program)
    }
  }
} finally {
  await stopping.all()
}

/** The program of a checkout, by default this one, with so many messages. */
async function start(name: string, checkout: string | undefined): Promise<Searched> {
  const profileTo = checkout === undefined && values.profile !== undefined ? resolve(values.profile) : undefined
  const portico = await startPortico({ profileTo, ...(checkout !== undefined && { checkout }) })
  stopping.add(portico.stop)
  return { name, portico, seeded: await seed(portico, Number(values.messages)) }
}
