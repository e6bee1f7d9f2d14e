import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startProgram } from './api/child-program.ts'
import { circumstances } from './api/circumstances.ts'
import { startPortico } from './api/start-portico.ts'
import type { Broadcast } from './events/broadcast-program.ts'
import { contest, type Contender, type Measured } from './events/fan-out.ts'
import { residentKiB } from './events/memory.ts'
import type { Opening } from './events/receivers-program.ts'
import { tableOf } from './events/report.ts'
import { RECEIVERS, seed } from './events/seed.ts'
import { makeCertificate, measureWebhooks } from './events/webhooks.ts'

/** Below this many receivers, a message costs more to accept and keep than to tell: there is nothing to compare. */
const FANNED_OUT = 500
const AIMS = { deliveries: 0.7, p99: 3 }
const MOST_KIB = 20

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    sizes: { type: 'string', default: `1,50,500,${RECEIVERS}` },
    profile: { type: 'string' },
    out: { type: 'string', default: join(import.meta.dirname, 'events.json') },
  },
})

const stopping: (() => Promise<void>)[] = []
let stopped: Promise<void> | undefined
const stopAll = (): Promise<void> => (stopped ??= stopEach())
async function stopEach(): Promise<void> {
  for (let stop = stopping.shift(); stop; stop = stopping.shift()) await stop()
}
// A database and a data folder would stay behind.
process.once('SIGINT', () => void stopAll())
process.once('SIGTERM', () => void stopAll())

try {
  const certificate = await makeCertificate()
  stopping.unshift(certificate.remove)
  const portico = await startPortico({
    profileTo: values.profile === undefined ? undefined : resolve(values.profile),
    settings: { NODE_EXTRA_CA_CERTS: certificate.path, WEBHOOK_ALLOW_CIDR: '127.0.0.0/8' },
  })
  stopping.unshift(portico.stop)
  console.log('Seeding…')
  const seeded = await seed(portico)
  const { bots, people, few, tokens, cookies, key, bot: author, keys } = seeded

  const bare = startProgram('../events/broadcast-program.ts')
  stopping.unshift(bare.stop)
  const broadcast: Broadcast = { dataFolder: portico.dataFolder, author }
  const barePort = await bare.ask<number>(broadcast)
  const load = startProgram('../events/receivers-program.ts')
  stopping.unshift(load.stop)

  const subscribing = (token: object, channel: string) => [
    JSON.stringify({ id: 1, connect: token }),
    JSON.stringify({ id: 2, subscribe: { channel } }),
  ]
  const clients = {
    bots: tokens.map((token) => ({ headers: '', frames: subscribing({ token }, 'events') })),
    people: cookies.map((cookie) => ({
      headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`,
      frames: subscribing({}, 'portal'),
    })),
    bare: keys.map(() => ({ headers: '', frames: [] })),
  }
  const open = async (group: keyof typeof clients, upTo: number, from = 0): Promise<void> => {
    const port = group === 'bare' ? barePort : portico.port
    const order: Opening = { open: group, port, clients: clients[group].slice(from, upTo) }
    await load.ask(order)
  }

  const sizes = values.sizes.split(',').map(Number)
  const most = Math.max(...sizes)
  const perSocket = async (pid: number, opening: () => Promise<void>): Promise<number | undefined> => {
    const before = await residentKiB(pid)
    await opening()
    const after = await residentKiB(pid)
    return before === undefined || after === undefined ? undefined : (after - before) / most
  }
  const idle = {
    portico: await perSocket(portico.pid, () => open('bots', most)),
    bare: await perSocket(bare.pid, () => open('bare', most)),
    aim: MOST_KIB,
  }
  const kib = (value: number | undefined): string => value?.toFixed(1) ?? '–'
  console.log(`An idle connection: ${kib(idle.portico)} KiB; of the bare server: ${kib(idle.bare)} KiB\n`)
  for (const group of ['bots', 'bare']) await load.ask({ close: group })

  const at = (place: typeof bots, group: keyof typeof clients, name: string): Contender => {
    const path = `/api/v1/rooms/${place.roomId}/messages`
    return { name, group, pid: portico.pid, port: portico.port, path, place, key }
  }
  const bareAt = (path: string, name: string): Contender => {
    return { name, group: 'bare', pid: bare.pid, port: barePort, path, place: bots }
  }
  const setup = {
    load,
    dataFolder: portico.dataFolder,
    rounds: Number(values.rounds),
    milliseconds: Number(values.seconds) * 1000,
  }
  const measured: Measured[] = []
  const tell = (result: Measured): void => {
    console.log(tableOf(result))
    measured.push(result)
  }

  let opened = 0
  for (const size of sizes) {
    for (const group of ['bots', 'people', 'bare'] as const) await open(group, size, opened)
    opened = size
    const contenders = [
      at(bots, 'bots', 'applications'),
      at(people, 'people', 'people'),
      bareAt('/broadcast', 'bare broadcast'),
      bareAt('/insert', 'bare INSERT and broadcast'),
    ]
    const judged = size >= FANNED_OUT ? AIMS : {}
    const comparisons = ['applications', 'people'].flatMap((of) => [
      { of, against: 'bare broadcast', ...judged },
      { of, against: 'bare INSERT and broadcast' },
    ])
    tell(await contest(setup, `one room to ${size}`, contenders, comparisons))
  }
  for (const group of ['bots', 'people', 'bare'] as const) await load.ask({ close: group })

  const unconnected = [at(few, 'people', '10 members'), at(people, 'people', '10,000 members')]
  const same = { of: '10,000 members', against: '10 members', deliveries: 0.8 }
  await open('people', 1)
  tell(await contest(setup, 'members who are not connected (one is)', unconnected.toReversed(), [same]))
  await load.ask({ close: 'people' })

  const hooks = startProgram('../events/hooks-program.ts')
  stopping.unshift(hooks.stop)
  const { key: tlsKey, cert } = certificate
  const ports = { portico: portico.port, hooks: await hooks.ask<number>({ key: tlsKey, cert }) }
  const webhooks = []
  for (const wish of [
    { webhooks: 1, messages: 500 },
    { webhooks: 50, messages: 50 },
  ]) {
    const figure = await measureWebhooks(seeded, ports, hooks, wish)
    console.log(`webhooks of ${wish.webhooks}: ${figure.deliveriesPerSecond.toFixed(0)} deliveries/s`)
    webhooks.push(figure)
  }
  const result = { ...circumstances(), idleKiB: idle, measured, webhooks }
  await writeFile(values.out, `${JSON.stringify(result, null, 2)}\n`)
} finally {
  await stopAll()
}
