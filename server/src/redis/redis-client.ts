import type { RedisAddress } from '../config/redis-address.ts'
import { withTimeout } from '../outbound/with-timeout.ts'

/** In milliseconds. Also for the answers of Redis while connecting. */
const CONNECT_TIMEOUT = 5000
/** In milliseconds: how long a Sentinel may take to name the primary. Others have answered meanwhile. */
const SENTINEL_TIMEOUT = 1500

/** Clients report failures through these. Without a listener, an error would end the process. */
const FAILURES = ['error', 'node-error', 'sharded-channel-moved-error']

type Library = typeof import('@redis/client')
type Host = RedisAddress['hosts'][number]
export type RedisClient = ReturnType<typeof serverClient> | ReturnType<typeof clusterClient>

/**
 * Connects to Redis. A client whose connection breaks is not repaired: it calls `onError`, and the caller opens another one.
 * So every connection begins with the question which server is the primary now, and a fail-over that this process sees as
 * nothing but a broken connection can't go unnoticed.
 */
export async function openRedisClient(
  address: RedisAddress,
  onError: (client: RedisClient, error: unknown) => void,
): Promise<RedisClient> {
  // Only a cluster needs it, and loading it takes a tenth of a second.
  const library = await import('@redis/client')
  if (address.kind === 'cluster') return connected(clusterClient(library, address), onError)
  const candidates = address.kind === 'sentinel' ? await primaries(library, address) : address.hosts
  let failure: unknown
  for (const host of candidates) {
    try {
      return await connected(serverClient(library, address, host), onError)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** In a Redis Cluster it resolves when every primary has answered. */
export async function pingAll(client: RedisClient): Promise<void> {
  if (!('masters' in client)) return
  for (const node of client.masters) await (await client.nodeClient(node)).ping()
}

/**
 * Subscribes to a channel of sharded publish/subscribe. A Redis Cluster may move it to another server: the library follows, but
 * messages are lost meanwhile, so the client has failed.
 */
export async function subscribeTo(
  client: RedisClient,
  channel: string,
  listener: (message: string) => void,
  onMoved: (error: unknown) => void,
): Promise<void> {
  await client.sSubscribe(channel, listener)
  if (!('masters' in client)) return
  for (const { pubSub } of client.masters) {
    if (!pubSub || watched.has(pubSub.client)) continue
    watched.add(pubSub.client)
    pubSub.client.on('sharded-channel-moved', () => onMoved(new Error('a channel has moved to another server')))
  }
}

/** Connections of a Redis Cluster that carry messages. */
const watched = new WeakSet<object>()

export function closeRedisClient(client: RedisClient): void {
  try {
    client.destroy()
  } catch {
    // It was closed already.
  }
}

async function connected<C extends RedisClient>(
  client: C,
  onError: (client: RedisClient, error: unknown) => void,
): Promise<C> {
  for (const event of FAILURES) client.on(event, (error: unknown) => onError(client, error))
  try {
    await withTimeout(connectToPrimary(client), CONNECT_TIMEOUT)
    return client
  } catch (error) {
    closeRedisClient(client)
    throw error
  }
}

async function connectToPrimary(client: RedisClient): Promise<void> {
  await client.connect()
  if ('masters' in client) return pingAll(client)
  // A server that was just replaced may still consider itself the primary; once demoted, it refuses writes.
  const role = await client.role()
  if (role?.role !== 'master') throw new Error('this server is a replica')
}

function serverClient({ createClient }: Library, address: RedisAddress, host: Host) {
  const database = address.kind === 'server' ? address.database : 0
  return createClient({ ...common(address), database, socket: { ...socketOf(address), ...host } })
}

function clusterClient({ createCluster }: Library, address: RedisAddress) {
  const socket = socketOf(address)
  return createCluster({
    rootNodes: address.hosts.map((host) => ({ socket: { ...socket, ...host } })),
    defaults: { ...common(address), socket },
  })
}

function common({ username, password }: RedisAddress) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    // A command that waits for a connection is answered long after its caller has gone on without it.
    disableOfflineQueue: true,
  }
}

function socketOf({ tls }: RedisAddress, connectTimeout = CONNECT_TIMEOUT) {
  const socket = { connectTimeout, reconnectStrategy: false } as const
  return tls ? { ...socket, tls } : socket
}

/** The servers that Sentinels call the primary, the one that most of them do first. */
async function primaries(library: Library, address: RedisAddress & { readonly kind: 'sentinel' }): Promise<Host[]> {
  const answers = await Promise.allSettled(address.hosts.map((sentinel) => askSentinel(library, address, sentinel)))
  const named = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const votes = Map.groupBy(named, ({ host, port }) => `${host} ${port}`)
  const ranked = [...votes.values()].toSorted((one, other) => other.length - one.length)
  if (ranked.length === 0) throw new Error(`no Sentinel names a primary of ${address.group}`)
  return ranked.flatMap(([first]) => first ?? [])
}

async function askSentinel(
  { createClient }: Library,
  address: RedisAddress & { readonly kind: 'sentinel' },
  sentinel: Host,
): Promise<Host> {
  const client = createClient({ socket: { ...socketOf(address, SENTINEL_TIMEOUT), ...sentinel } })
  client.on('error', () => {})
  try {
    const ask = async (): Promise<unknown> => {
      await client.connect()
      return client.sendCommand(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', address.group])
    }
    const named = await withTimeout(ask(), SENTINEL_TIMEOUT)
    if (!Array.isArray(named)) throw new Error(`this Sentinel does not know ${address.group}`)
    return { host: String(named[0]), port: Number(named[1]) }
  } finally {
    client.destroy()
  }
}
