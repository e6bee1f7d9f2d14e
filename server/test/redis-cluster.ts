import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from './file-end.ts'
import { freePort } from './free-port.ts'
import { RedisServer } from './redis.ts'
import { until } from './until.ts'

const SLOTS = 16_384
/** In milliseconds: after this without an answer, a server of the cluster is considered down. */
const NODE_TIMEOUT = 5000

export interface RedisCluster {
  /** For `REDIS_URL`. */
  readonly url: string
  readonly primaries: readonly [RedisServer, RedisServer, RedisServer]
  /** Of the first primary. */
  readonly replica: RedisServer
}

/** A Redis Cluster of three primaries, the first of which has a replica, for one test file. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const primaries = [await startMember(), await startMember(), await startMember()] as const
  const replica = await startMember()
  const all = [...primaries, replica]
  for (const [index, primary] of primaries.entries()) {
    const slots = [Math.ceil((index * SLOTS) / 3), Math.ceil(((index + 1) * SLOTS) / 3) - 1]
    await primary.ask('CLUSTER', 'ADDSLOTSRANGE', ...slots.map(String))
    // Without it, all begin with the same epoch, and settle that later.
    await primary.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  const [first] = primaries
  for (const { port, busPort } of all
    .slice(1)
    .map((server) => ({ port: server.port, busPort: busPorts.get(server) }))) {
    await first.ask('CLUSTER', 'MEET', '127.0.0.1', String(port), String(busPort))
  }
  const known = async (server: RedisServer) =>
    String(await server.ask('CLUSTER', 'NODES'))
      .trim()
      .split('\n').length
  for (const server of all) await until(async () => (await known(server)) === all.length)
  await replica.ask('CLUSTER', 'REPLICATE', String(await first.ask('CLUSTER', 'MYID')))
  await until(async () => String(await replica.ask('INFO', 'replication')).includes('master_link_status:up'))
  for (const server of all) await until(async () => (await stateOf(server)) === 'ok')
  return { url: `redis+cluster://${all.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, primaries, replica }
}

/** Whether a server of the cluster considers all slots served. */
export async function stateOf(server: RedisServer): Promise<string | undefined> {
  return /cluster_state:(\w+)/.exec(String(await server.ask('CLUSTER', 'INFO')))?.[1]
}

const busPorts = new WeakMap<RedisServer, number>()

async function startMember(): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-redis-cluster-'))
  const busPort = await freePort()
  const server = await RedisServer.start(
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(busPort),
    '--cluster-node-timeout',
    String(NODE_TIMEOUT),
    '--dir',
    folder,
  )
  busPorts.set(server, busPort)
  atFileEnd(async () => {
    await server.kill()
    await rm(folder, { recursive: true, force: true })
  })
  return server
}
