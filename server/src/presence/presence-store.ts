import { script, type Redis } from '../redis/redis.ts'
import type { PresenceChange } from './presence.ts'

/** In a Redis Cluster, channels are spread over this many slots. Each has its own heartbeats, because any may be lost alone. */
export const SLOTS = 32
/** In milliseconds: a node without a heartbeat for this long is dead, and so are its sockets. */
const LIFE = 10_000
/** In seconds: longer than until a node writes its people again, see `redis-presence.ts`. */
const EXPIRY = 1800
/** So many channels are written or read by one script: Redis does nothing else meanwhile. */
const MOST_CHANNELS = 200

/** What a node publishes on the topic of a channel. */
export interface NodeChange extends Omit<PresenceChange, 'channelId'> {
  readonly node: string
}

/** Accounts in a channel, by the node that they are connected to. */
export type Nodes = Map<string, Set<string>>

/**
 * Who is online in which channel, in Redis. A channel is a set of pairs of a node and an account. Its key is also the name of
 * the topic on which nodes publish changes. Pairs of nodes without a heartbeat don't count, and are removed when they are read.
 */
export class PresenceStore {
  readonly #redis: Redis

  constructor(redis: Redis) {
    this.#redis = redis
  }

  /** Sends a heartbeat. Returns whether the node was alive, and all nodes that are. */
  async beat(slot: number, node: string): Promise<{ wasAlive: boolean; alive: ReadonlySet<string> }> {
    const [wasAlive, ...alive] = (await this.#redis.run(BEAT, [nodesKey(slot)], [node])) as [number, ...string[]]
    return { wasAlive: wasAlive === 1, alive: new Set(alive) }
  }

  async signOff(slot: number, node: string): Promise<void> {
    await this.#redis.run(SIGN_OFF, [nodesKey(slot)], [node])
  }

  /** Writes the changes of a node in channels of one slot, and publishes them. */
  async write(node: string, changes: readonly PresenceChange[]): Promise<void> {
    const parts = inParts(changes).map((part) => {
      const messages = part.map(({ online, offline, left }): NodeChange => ({ node, online, offline, left }))
      const keys = part.map(({ channelId }) => topicOf(channelId))
      return this.#redis.run(WRITE, keys, [node, ...messages.map((message) => JSON.stringify(message))])
    })
    await Promise.all(parts)
  }

  /** Who is online in channels of one slot. */
  async read(slot: number, channelIds: readonly string[]): Promise<ReadonlyMap<string, Nodes>> {
    const parts = inParts(channelIds).map(async (part) => {
      const found = (await this.#redis.run(READ, [nodesKey(slot), ...part.map(topicOf)], [])) as string[][]
      return part.map((channelId, index) => [channelId, byNode(found[index] ?? [])] as const)
    })
    return new Map((await Promise.all(parts)).flat())
  }
}

/** The end of an id is random. */
export function slotOf(channelId: string): number {
  return Number.parseInt(channelId.slice(-2), 16) % SLOTS
}

export function topicOf(channelId: string): string {
  return `presence:{${slotOf(channelId)}}:${channelId}`
}

function nodesKey(slot: number): string {
  return `presence:{${slot}}`
}

function byNode(pairs: readonly string[]): Nodes {
  const nodes: Nodes = new Map()
  for (const pair of pairs) {
    const [node = '', accountId = ''] = pair.split(' ')
    const accounts = nodes.get(node)
    if (accounts) accounts.add(accountId)
    else nodes.set(node, new Set([accountId]))
  }
  return nodes
}

function inParts<T>(items: readonly T[]): T[][] {
  const count = Math.ceil(items.length / MOST_CHANNELS)
  return Array.from({ length: count }, (_, part) => items.slice(part * MOST_CHANNELS, (part + 1) * MOST_CHANNELS))
}

const CLOCK = `
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local oldest = now - ${LIFE}`

const BEAT = script(`${CLOCK}
  local last = redis.call('ZSCORE', KEYS[1], ARGV[1])
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', oldest)
  redis.call('EXPIRE', KEYS[1], ${EXPIRY})
  return {last and tonumber(last) > oldest and 1 or 0, unpack(redis.call('ZRANGE', KEYS[1], 0, -1))}`)

const SIGN_OFF = script(`redis.call('ZREM', KEYS[1], ARGV[1])`)

const WRITE = script(`
  for index, key in ipairs(KEYS) do
    local message = ARGV[index + 1]
    local change = cjson.decode(message)
    for _, account in ipairs(change.online) do redis.call('SADD', key, ARGV[1] .. ' ' .. account) end
    for _, account in ipairs(change.offline) do redis.call('SREM', key, ARGV[1] .. ' ' .. account) end
    for _, account in ipairs(change.left) do redis.call('SREM', key, ARGV[1] .. ' ' .. account) end
    redis.call('EXPIRE', key, ${EXPIRY})
    redis.call('SPUBLISH', key, message)
  end`)

const READ = script(`${CLOCK}
  local alive = {}
  for _, node in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. oldest, '+inf')) do alive[node] = true end
  local found = {}
  for index = 2, #KEYS do
    local pairs_of_alive = {}
    for _, pair in ipairs(redis.call('SMEMBERS', KEYS[index])) do
      if alive[string.match(pair, '^%S+')] then
        pairs_of_alive[#pairs_of_alive + 1] = pair
      else
        redis.call('SREM', KEYS[index], pair)
      end
    end
    found[index - 1] = pairs_of_alive
  end
  return found`)
