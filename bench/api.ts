import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { answersOf } from './api/answers.ts'
import type { Bare } from './api/bare-program.ts'
import { startProgram } from './api/child-program.ts'
import { contests, withBaseline } from './api/contests.ts'
import { circumstances } from './api/circumstances.ts'
import { measure, warmUp, type Measured } from './api/measure.ts'
import { tableOf } from './api/report.ts'
import { seed, type Seeded } from './api/seed.ts'
import { startPortico, type Portico } from './api/start-portico.ts'
import { Stopping } from './stopping.ts'

const CONNECTIONS = [1, 64]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    profile: { type: 'string' },
    baseline: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, 'api.json') },
  },
})

const profileTo = values.profile === undefined ? undefined : resolve(values.profile)
const stopping = new Stopping()

try {
  const portico = await startPortico({ profileTo })
  stopping.add(portico.stop)
  console.log('Seeding…')
  const seeded = await seed(portico)
  const baseline = values.baseline === undefined ? undefined : await startBaseline(resolve(values.baseline))

  const bare = startProgram('bare-program.ts')
  stopping.add(bare.stop)
  const bareOptions: Bare = {
    dataFolder: portico.dataFolder,
    answers: await answersOf(portico.port, seeded),
    author: seeded.bot,
    history: seeded.large.hundredThousand,
    key: seeded.key,
  }
  const ports = { portico: portico.port, bare: await bare.ask<number>(bareOptions) }
  const load = startProgram('load-program.ts')
  stopping.add(load.stop)

  const setup = {
    load,
    pids: { portico: portico.pid, bare: bare.pid, baseline: baseline?.portico.pid ?? portico.pid },
    dataFolders: {
      portico: portico.dataFolder,
      bare: portico.dataFolder,
      baseline: baseline?.portico.dataFolder ?? portico.dataFolder,
    },
    rounds: Number(values.rounds),
    milliseconds: Number(values.seconds) * 1000,
  }
  const measured: Measured[] = []
  const all = contests(seeded, ports)
  const turns = baseline
    ? withBaseline(all, contests(baseline.seeded, { ...ports, portico: baseline.portico.port }))
    : all
  for (const contest of turns.filter(({ name }) => name.includes(values.only))) {
    await warmUp(setup, contest, CONNECTIONS)
    for (const connections of CONNECTIONS) {
      const result = await measure(setup, contest, connections)
      console.log(tableOf(result))
      measured.push(result)
    }
  }
  await writeFile(values.out, `${JSON.stringify({ ...circumstances(), measured }, null, 2)}\n`)
} finally {
  await stopping.all()
}

/** The program of another checkout, with the same data in a database of its own. */
async function startBaseline(checkout: string): Promise<{ portico: Portico; seeded: Seeded }> {
  const started = await startPortico({ profileTo: undefined, checkout })
  stopping.add(started.stop)
  console.log('Seeding the baseline…')
  return { portico: started, seeded: await seed(started) }
}
