import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import { startProgram, type ChildProgram } from '../api/child-program.ts'
import { median } from '../api/median.ts'
import type { Portico } from '../api/start-portico.ts'
import type { Seeded } from './seed.ts'

export interface Certificate {
  readonly path: string
  readonly key: string
  readonly cert: string
  remove(): Promise<void>
}

/** A certificate for a receiver on this machine, trusted through NODE_EXTRA_CA_CERTS. */
export async function makeCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-certificate-'))
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const of = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  await promisify(execFile)('openssl', ['req', '-x509', ...curve, '-keyout', keyPath, '-out', path, ...of])
  return {
    path,
    key: await readFile(keyPath, 'utf8'),
    cert: await readFile(path, 'utf8'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

interface Wish {
  /** Applications with webhooks, rooms with messages, and messages in total. */
  readonly webhooks: number
  readonly rooms: number
  readonly messages: number
}

const WISHES: readonly Wish[] = [
  { webhooks: 1, rooms: 1, messages: 500 },
  { webhooks: 1, rooms: 8, messages: 2000 },
  { webhooks: 50, rooms: 1, messages: 100 },
  { webhooks: 50, rooms: 8, messages: 100 },
]
/** Messages in flight. */
const WINDOW = 16

export interface WebhookFigure extends Wish {
  readonly deliveries: number
  /** From the first message until the last delivery was received: the median of the rounds. */
  readonly deliveriesPerSecond: number
  /** Microseconds of CPU time per delivery, including sending its message. */
  readonly nodeCpu: number | undefined
  readonly postgresCpu: number | undefined
}

interface Setup {
  readonly seeded: Seeded
  readonly portico: Portico
  readonly hooks: ChildProgram
  readonly hooksPort: number
}

/** Webhooks of one and of many applications, to a receiver on this machine that responds immediately. */
export async function measureWebhooks(
  { seeded, portico }: Pick<Setup, 'seeded' | 'portico'>,
  { key, cert }: Certificate,
  rounds: number,
): Promise<WebhookFigure[]> {
  const hooks = startProgram('../events/hooks-program.ts')
  const figures: WebhookFigure[] = []
  try {
    const setup = { seeded, portico, hooks, hooksPort: await hooks.ask<number>({ key, cert }) }
    for (const wish of WISHES) {
      await roundOf(setup, { ...wish, messages: wish.messages / 5 })
      const figure = await figureOf(setup, wish, rounds)
      const { webhooks, rooms, deliveriesPerSecond, nodeCpu = NaN, postgresCpu = NaN } = figure
      console.log(
        `webhooks of ${webhooks}, ${rooms} rooms: ${deliveriesPerSecond.toFixed(0)} deliveries/s ` +
          `(CPU µs a delivery: Node ${nodeCpu.toFixed(0)}, PostgreSQL ${postgresCpu.toFixed(0)})`,
      )
      figures.push(figure)
    }
  } finally {
    await hooks.stop()
  }
  return figures
}

async function figureOf(setup: Setup, wish: Wish, rounds: number): Promise<WebhookFigure> {
  const { portico } = setup
  const cpu = async () => [await cpuSeconds(portico.pid), await postgresSeconds(portico.dataFolder)] as const
  const deliveries = wish.webhooks * wish.messages
  const before = await cpu()
  const seconds: number[] = []
  while (seconds.length < rounds) seconds.push(await roundOf(setup, wish))
  const after = await cpu()
  const each = (index: 0 | 1): number | undefined => {
    const [from, to] = [before[index], after[index]]
    return from === undefined || to === undefined ? undefined : ((to - from) / rounds / deliveries) * 1e6
  }
  const deliveriesPerSecond = deliveries / median(seconds)
  return { ...wish, deliveries, deliveriesPerSecond, nodeCpu: each(0), postgresCpu: each(1) }
}

/** Gives the seconds from the first message until the last delivery. */
async function roundOf({ seeded, portico, hooks, hooksPort }: Setup, wish: Wish): Promise<number> {
  const { keys, bots, key, rooms } = seeded
  const api = async (method: string, path: string, own: string, body?: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${portico.port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bot ${own}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  }
  const receiving = keys.slice(0, wish.webhooks)
  for (const own of receiving) await api('PUT', '/webhook', own, { url: `https://127.0.0.1:${hooksPort}/hook` })

  const count = () => hooks.ask<{ received: number; lastAt: number }>({ count: true })
  const before = (await count()).received
  const started = Date.now()
  let sent = 0
  const send = async (): Promise<void> => {
    while (sent < wish.messages) {
      const room = rooms[sent % wish.rooms] ?? ''
      sent += 1
      await api('POST', `/rooms/${room}/messages`, key, {
        channelId: bots.channelId,
        text: `Crate ${sent} is unloaded`,
      })
    }
  }
  await Promise.all(Array.from({ length: WINDOW }, send))
  let counted = await count()
  while (counted.received - before < wish.webhooks * wish.messages) {
    await sleep(50)
    counted = await count()
  }
  for (const own of receiving) await api('DELETE', '/webhook', own)
  return (counted.lastAt - started) / 1000
}
