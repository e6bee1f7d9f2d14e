import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { circumstances } from './api/circumstances.ts'
import { startPortico } from './api/start-portico.ts'
import { Stopping } from './stopping.ts'
import { measure } from './streams/measure.ts'
import { seed } from './streams/seed.ts'

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '100' },
    portals: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '20' },
    checkout: { type: 'string' },
    profile: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, 'streams.json') },
  },
})
const wish = { streams: Number(values.streams), portals: Number(values.portals) }
const stopping = new Stopping()

try {
  const portico = await startPortico({
    profileTo: values.profile === undefined ? undefined : resolve(values.profile),
    ...(values.checkout !== undefined && { checkout: resolve(values.checkout) }),
  })
  stopping.add(portico.stop)
  console.log('Seeding…')
  const seeded = await seed(portico, wish)
  const measured = await measure(portico, seeded, Number(values.seconds))
  const { appendsPerSecond, updatesPerSecond, answered, shown, cpu } = measured
  console.log(
    `${wish.streams} streams, ${wish.portals} portals: ${appendsPerSecond} appends/s, ${updatesPerSecond} updates/s; answered p50 ${answered.p50}, p99 ${answered.p99} ms; in portals p50 ${shown.p50}, p99 ${shown.p99} ms; CPU: Portico ${percent(cpu.portico)}, PostgreSQL ${percent(cpu.postgres)}, load ${percent(cpu.load)}`,
  )
  await writeFile(values.out, `${JSON.stringify({ ...circumstances(), ...wish, ...measured }, null, 2)}\n`)
} finally {
  await stopping.all()
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
