import type { ChildProgram } from '../api/child-program.ts'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'
import type { Load, Loaded } from '../api/load-program.ts'
import type { Delivered, Opening, Sending } from '../events/receivers-program.ts'
import { RECEIVERS, type Contender } from './contenders.ts'

/**
 * A steady send leaves the processors idle time; the others use all there is. A delivery goes to `RECEIVERS` portals on each
 * node, a spread delivery to `RECEIVERS` in all.
 */
export const WORK = ['send', 'steady send', 'history', 'delivery', 'spread delivery'] as const
export type Work = (typeof WORK)[number]

/** Requests in flight on each node: nodes are added when the load grows. */
const AT_ONCE = 32
/** In milliseconds, on average, between two steady sends of a connection: 400 a second on each node. */
const STEADY_PAUSE = 80

export interface Setup {
  readonly load: ChildProgram
  readonly receivers: ChildProgram
  readonly dataFolder: string
  readonly redisPid: number
  readonly milliseconds: number
}

/** CPU time of a round in seconds, and what it was spent on. */
export interface Round {
  readonly operations: number
  readonly perSecond: number
  readonly nodes: number
  readonly redis: number
  readonly postgres: number
}

export async function roundOf(setup: Setup, contender: Contender, work: Work): Promise<Round> {
  const read = async () => {
    const nodes = await Promise.all(contender.nodes.map(({ pid }) => cpuSeconds(pid)))
    return {
      nodes: nodes.reduce<number>((sum, seconds) => sum + (seconds ?? NaN), 0),
      redis: (await cpuSeconds(setup.redisPid)) ?? NaN,
      postgres: (await postgresSeconds(setup.dataFolder)) ?? NaN,
    }
  }
  const delivers = work === 'delivery' || work === 'spread delivery'
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
  }
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
  { name, nodes, rooms, key, cookies }: Contender,
  work: 'delivery' | 'spread delivery',
): Promise<() => Promise<Done>> {
  const frames = [JSON.stringify({ id: 1, connect: {} }), JSON.stringify({ id: 2, subscribe: { channel: 'portal' } })]
  for (const [position, { port }] of nodes.entries()) {
    const own = work === 'delivery' ? cookies : cookies.filter((_, index) => index % nodes.length === position)
    const clients = own.map((cookie) => ({ headers: `Cookie: ${cookie}\r\nOrigin: http://127.0.0.1\r\n`, frames }))
    await receivers.ask({ open: name, port, clients } satisfies Opening)
  }
  const [place] = rooms
  const order: Sending = {
    send: name,
    port: nodes[0]?.port ?? 0,
    head: `POST /api/v1/rooms/${place?.roomId}/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bot ${key}\r\n`,
    body: JSON.stringify({ ...place, text: 'NUMBER Crate 4711 has been unloaded and is on the quay.' }),
    window: 8,
    milliseconds,
  }
  return async () => {
    const { messages, deliveries, seconds } = await receivers.ask<Delivered>(order)
    const portals = work === 'delivery' ? RECEIVERS * nodes.length : RECEIVERS
    if (deliveries !== messages * portals) throw new Error(`${deliveries} deliveries of ${messages} messages`)
    return { operations: deliveries, perSecond: deliveries / seconds }
  }
}
