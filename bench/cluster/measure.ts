import { askRedis } from '../../server/test/redis.ts'
import type { ChildProgram } from '../api/child-program.ts'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import type { Load, Loaded } from '../api/load-program.ts'
import type { Place } from '../api/seed.ts'
import type { Delivered, Opening, Sending, Target } from '../events/receivers-program.ts'
import { DOCKS, RECEIVERS, type Contender } from './contenders.ts'

/**
 * A steady send leaves the processors idle time; the others use all there is. A delivery goes to `RECEIVERS` portals on each
 * node, a spread delivery to `RECEIVERS` in all. Of deliveries in spread channels, each channel has its own share of them, on one
 * node, and another node gets the message.
 */
export const WORK = ['send', 'steady send', 'history', 'delivery', 'spread delivery', 'spread channels'] as const
export type Work = (typeof WORK)[number]
type DeliveryWork = 'delivery' | 'spread delivery' | 'spread channels'

/** Requests in flight on each node: nodes are added when the load grows. */
const AT_ONCE = 32
/** In milliseconds, on average, between two steady sends of a connection: 400 a second on each node. */
const STEADY_PAUSE = 80

export interface Setup {
  readonly load: ChildProgram
  readonly receivers: ChildProgram
  readonly dataFolder: string
  readonly redisPid: number
  readonly redisPort: number
  readonly milliseconds: number
}

/** CPU time of a round in seconds, and what it was spent on. */
export interface Round {
  readonly operations: number
  readonly perSecond: number
  readonly nodes: number
  readonly redis: number
  readonly postgres: number
  /** What Redis has sent to the nodes. */
  readonly redisBytes: number
}

export async function roundOf(setup: Setup, contender: Contender, work: Work): Promise<Round> {
  const read = async () => {
    const nodes = await Promise.all(contender.nodes.map(({ pid }) => cpuSeconds(pid)))
    return {
      nodes: nodes.reduce<number>((sum, seconds) => sum + (seconds ?? NaN), 0),
      redis: (await cpuSeconds(setup.redisPid)) ?? NaN,
      postgres: (await postgresSeconds(setup.dataFolder)) ?? NaN,
      redisBytes: await bytesSentBy(setup.redisPort),
    }
  }
  const delivers = isDelivery(work)
  const carryOut = delivers ? await openReceivers(setup, contender, work) : () => request(setup, contender, work)
  const before = await read()
  const done = await carryOut()
  const after = await read()
  if (delivers) await setup.receivers.ask({ close: contender.name })
  return {
    ...done,
    nodes: after.nodes - before.nodes,
    redis: after.redis - before.redis,
    postgres: after.postgres - before.postgres,
    redisBytes: after.redisBytes - before.redisBytes,
  }
}

function isDelivery(work: Work): work is DeliveryWork {
  return work.includes('delivery') || work === 'spread channels'
}

async function bytesSentBy(redisPort: number): Promise<number> {
  const info = String(await askRedis(redisPort, 'INFO', 'stats'))
  return Number(/total_net_output_bytes:(\d+)/.exec(info)?.[1])
}

type Done = Pick<Round, 'operations' | 'perSecond'>

async function request(setup: Setup, { nodes, rooms, key }: Contender, work: Work): Promise<Done> {
  const requests = rooms.map(({ channelId, roomId }) => {
    const head = (line: string): string => `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bot ${key}\r\n`
    if (work === 'history') return `${head(`GET /api/v1/rooms/${roomId}/messages?channelId=${channelId}`)}\r\n`
    const body = JSON.stringify({ channelId, text: 'Crate 4711 has been unloaded and is on the quay.' })
    const content = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    return head(`POST /api/v1/rooms/${roomId}/messages`) + content
  })
  const load: Load = {
    ports: nodes.map(({ port }) => port),
    requests,
    status: work === 'history' ? 200 : 201,
    connections: AT_ONCE * nodes.length,
    pause: work === 'steady send' ? STEADY_PAUSE : 0,
    milliseconds: setup.milliseconds,
  }
  const { answers, seconds, unexpected } = await setup.load.ask<Loaded>(load)
  if (unexpected.count > 0) throw new Error(`${unexpected.count} unexpected answers:\n${unexpected.first}`)
  return { operations: answers, perSecond: answers / seconds }
}

/** Opens the portal of every member, on each node or spread over them. The result sends messages to all of them. */
async function openReceivers(
  { receivers, milliseconds }: Setup,
  { name, nodes, rooms, key, cookies, docks }: Contender,
  work: DeliveryWork,
): Promise<() => Promise<Done>> {
  const frames = [JSON.stringify({ id: 1, connect: {} }), JSON.stringify({ id: 2, subscribe: { channel: 'portal' } })]
  const isHere: Record<DeliveryWork, (index: number, position: number) => boolean> = {
    delivery: () => true,
    'spread delivery': (index, position) => index % nodes.length === position,
    'spread channels': (index, position) => Math.floor(index / (RECEIVERS / DOCKS)) % nodes.length === position,
  }
  for (const [position, { port }] of nodes.entries()) {
    const own = cookies.filter((_, index) => isHere[work](index, position))
    const clients = own.map((cookie) => ({ headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`, frames }))
    await receivers.ask({ open: name, port, clients } satisfies Opening)
  }
  const targetOf = (place: Place | undefined, node: number): Target => ({
    port: nodes[node % nodes.length]?.port ?? 0,
    head: `POST /api/v1/rooms/${place?.roomId}/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bot ${key}\r\n`,
    body: JSON.stringify({ ...place, text: 'NUMBER Crate 4711 has been unloaded and is on the quay.' }),
  })
  const order: Sending = {
    ...targetOf(rooms[0], 0),
    send: name,
    window: 8,
    milliseconds,
    ...(work === 'spread channels' && { targets: docks.map((dock, index) => targetOf(dock, index + 1)) }),
  }
  const portals = {
    delivery: RECEIVERS * nodes.length,
    'spread delivery': RECEIVERS,
    'spread channels': RECEIVERS / DOCKS,
  }
  return async () => {
    const { messages, deliveries, seconds } = await receivers.ask<Delivered>(order)
    if (deliveries !== messages * portals[work]) throw new Error(`${deliveries} deliveries of ${messages} messages`)
    return { operations: deliveries, perSecond: deliveries / seconds }
  }
}
