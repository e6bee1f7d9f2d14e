import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { circumstances } from './api/circumstances.ts'
import { startPortico } from './api/start-portico.ts'
import { runContests } from './events/contests.ts'
import { measureIdle } from './events/idle.ts'
import { RECEIVERS, seed } from './events/seed.ts'
import { startSockets } from './events/sockets.ts'
import { makeCertificate, measureWebhooks } from './events/webhooks.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'events.json')
const PARTS = ['idle', 'fan-out', 'webhooks'] as const

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    sizes: { type: 'string', default: `1,50,500,${RECEIVERS}` },
    only: { type: 'string' },
    profile: { type: 'string' },
    out: { type: 'string' },
  },
})
if (values.only !== undefined && !PARTS.some((part) => part === values.only)) {
  throw new Error(`--only takes one of ${PARTS.join(', ')}`)
}
const measures = (part: (typeof PARTS)[number]): boolean => values.only === undefined || values.only === part
const rounds = Number(values.rounds)
const sizes = values.sizes.split(',').map(Number)

const stopping = new Stopping()

try {
  const certificate = await makeCertificate()
  stopping.add(certificate.remove)
  const inspected = measures('idle')
  const portico = await startPortico({
    profileTo: values.profile === undefined ? undefined : resolve(values.profile),
    settings: { NODE_EXTRA_CA_CERTS: certificate.path, WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' },
    inspected,
  })
  stopping.add(portico.stop)
  console.log('Seeding…')
  const seeded = await seed(portico)
  const sockets = await startSockets(portico, seeded, { inspected, stopping })

  const result: Record<string, unknown> = circumstances()
  if (measures('idle')) result['idleKiB'] = await measureIdle(portico, sockets, Math.max(...sizes))
  if (measures('fan-out')) {
    const wish = { sizes, rounds, milliseconds: Number(values.seconds) * 1000 }
    result['measured'] = await runContests(portico, seeded, sockets, wish)
  }
  if (measures('webhooks')) result['webhooks'] = await measureWebhooks({ seeded, portico }, certificate, rounds)
  // A partial run is saved only with --out.
  const out = values.out ?? (values.only === undefined ? LAST : undefined)
  if (out !== undefined) await writeFile(out, `${JSON.stringify(result, null, 2)}\n`)
} finally {
  await stopping.all()
}
