import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startProgram } from './api/child-program.ts'
import { circumstances } from './api/circumstances.ts'
import { cpuSeconds, postgresSeconds } from './api/cpu-time.ts'
import { startPortico, type Portico } from './api/start-portico.ts'
import type { Measure, Observed, Open, Start } from './community/load-program.ts'
import { lineOf, type Step } from './community/step.ts'
import { seed } from './community/seed.ts'
import { makeCertificate } from './events/webhooks.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'community.json')
/** In milliseconds: the ramp ends where the slowest hundredth of the deliveries takes longer. */
const MOST_DELIVERY = 250
const SETTLE = 10_000

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '1000,2500,5000,7500,10000,12500,15000' },
    seconds: { type: 'string', default: '30' },
    out: { type: 'string' },
  },
})
const steps = values.people.split(',').map(Number)
const seconds = Number(values.seconds)

const stopping = new Stopping()
try {
  const certificate = await makeCertificate()
  stopping.add(certificate.remove)
  const portico = await startPortico({
    profileTo: undefined,
    settings: { NODE_EXTRA_CA_CERTS: certificate.path, WEBHOOK_ALLOW_CIDR: '127.0.0.0/8', MEDIA: 'off' },
  })
  stopping.add(portico.stop)
  const hooks = startProgram('../events/hooks-program.ts')
  stopping.add(hooks.stop)
  const hooksPort = await hooks.ask<number>({ key: certificate.key, cert: certificate.cert })
  console.log(`Seeding ${Math.max(...steps)} people…`)
  const community = await seed(portico, Math.max(...steps), `https://127.0.0.1:${hooksPort}/hook`)
  const load = startProgram('../community/load-program.ts')
  stopping.add(load.stop)
  await load.ask({ port: portico.port, community } satisfies Start)

  const empty = await residentKilobytes(portico.pid)
  const measured: Step[] = []
  for (const online of steps) {
    await load.ask({ online } satisfies Open)
    await sleep(SETTLE)
    const order: Measure = { measureMs: seconds * 1000 }
    const [observed, cpu] = await whileMeasuring(portico, load.pid, () => load.ask<Observed>(order))
    const step = {
      online,
      ...observed,
      cpu,
      memoryPerPerson: ((await residentKilobytes(portico.pid)) - empty) / online,
    }
    measured.push(step)
    console.log(lineOf(step))
    if (observed.delivery.p99 > MOST_DELIVERY) break
  }
  const within = measured.findLast(({ delivery }) => delivery.p99 <= MOST_DELIVERY)
  console.log(
    within
      ? `${within.online} people online with deliveries within ${MOST_DELIVERY} ms (p99); ` +
          `${Math.round(within.online / (within.cpu.portico + within.cpu.postgres))} for each core of server and database`
      : `not even ${steps[0]} people online with deliveries within ${MOST_DELIVERY} ms (p99)`,
  )
  await writeFile(values.out ?? LAST, `${JSON.stringify({ ...circumstances(), seconds, measured }, null, 2)}\n`)
} finally {
  await stopping.all()
}

async function whileMeasuring<T>(portico: Portico, load: number, work: () => Promise<T>): Promise<[T, Step['cpu']]> {
  const read = async () => [
    (await cpuSeconds(portico.pid)) ?? NaN,
    (await postgresSeconds(portico.dataFolder)) ?? NaN,
    (await cpuSeconds(load)) ?? NaN,
  ]
  const [began, before] = [performance.now(), await read()]
  const done = await work()
  const [took, after] = [(performance.now() - began) / 1000, await read()]
  const [node = NaN, postgres = NaN, client = NaN] = after.map((value, part) => (value - (before[part] ?? NaN)) / took)
  return [done, { portico: node, postgres, load: client }]
}

async function residentKilobytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])
}
