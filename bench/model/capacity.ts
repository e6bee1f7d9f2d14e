import { neededConnections } from '../../server/src/db/connection-limit.ts'
import type { Costs } from './costs.ts'

/** Share of a core that may be used on average: the rest is for peaks. */
const USABLE = 0.5
/** Of the largest machines that providers rent for databases. Writes can't be spread over several. */
const POSTGRES_CORES = 64
/** Of a node that gets so many events of others, this much is left for its own people. */
const MOST_FOR_OTHERS = 0.5
/** Of everyone online, in voice rooms at the same time. */
const IN_VOICE = 0.05
/** Cores of LiveKit for each of them, in a room of 100 of whom four speak (bench/README.md, media). */
const LIVEKIT_CORES_EACH = 0.0024
const CORES_OF_LIVEKIT_NODE = 16
const CONNECTIONS_OF_NODE = neededConnections({ DATABASE_POOL_SIZE: 20 })

export interface Capacity {
  readonly people: number
  readonly nodes: number
  readonly postgresCores: number
  /** To PostgreSQL: each node holds its pool and one more. */
  readonly connections: number
  readonly redisShards: number
  readonly livekitNodes: number
  /** Logs with fan-out and database of their own. One, until something has to be divided by channel. */
  readonly partitions: number
  readonly bottleneck: string
}

/** What so many people online need, if each does what the people of `bench/community` do. */
export function capacityFor(people: number, costs: Costs): Capacity {
  for (let partitions = 1; ; partitions += 1) {
    const part = partOf(people / partitions, costs)
    if (part.limit !== undefined && partitions < people) continue
    const bottleneck = partOf(people, costs).limit ?? firstToFill(part)
    return {
      people,
      nodes: part.nodes * partitions,
      postgresCores: part.postgresCores * partitions,
      connections: part.nodes * partitions * CONNECTIONS_OF_NODE,
      redisShards: part.redisShards * partitions,
      livekitNodes: Math.ceil((people * IN_VOICE * LIVEKIT_CORES_EACH) / USABLE / CORES_OF_LIVEKIT_NODE),
      partitions,
      bottleneck,
    }
  }
}

interface Part {
  readonly nodes: number
  readonly postgresCores: number
  readonly redisShards: number
  /** Why this many people need more than one log, if they do. */
  readonly limit: string | undefined
}

function partOf(people: number, costs: Costs): Part {
  const events = people * costs.eventsPerPerson
  // Each node receives the events of all others: what that takes is missing for its own people.
  const forOthers = events * costs.received
  const nodes = Math.max(1, Math.ceil((people * costs.node) / Math.max(USABLE - forOthers, USABLE / 100)))
  const postgres = people * costs.postgres + events * costs.postgresReceived * (nodes - 1)
  const postgresCores = Math.max(1, Math.ceil(postgres / USABLE))
  const redis = people * costs.redis + events * costs.redisReceived * nodes
  // Quotas are spread over shards; the log has one channel, on one shard.
  const fanOut = events * costs.redisReceived * nodes
  const redisShards = Math.max(1, Math.ceil(redis / USABLE))
  const limit =
    forOthers > USABLE * MOST_FOR_OTHERS
      ? 'every node receives every event'
      : fanOut > USABLE
        ? 'one Redis shard copies every event to every node'
        : postgresCores > POSTGRES_CORES
          ? 'one PostgreSQL commits every change'
          : undefined
  return { nodes, postgresCores, redisShards, limit }
}

function firstToFill({ nodes, postgresCores }: Part): string {
  return nodes >= postgresCores ? 'processor time of the nodes' : 'processor time of PostgreSQL'
}
