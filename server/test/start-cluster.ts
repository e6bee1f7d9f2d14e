import type { Log } from '../src/telemetry/log.ts'
import { testDatabase } from './database.ts'
import { atFileEnd } from './file-end.ts'
import { filesFolder } from './files-folder.ts'
import { RedisServer } from './redis.ts'
import { startNode, type TestServer } from './start-node.ts'

export interface Nodes {
  readonly nodes: readonly [TestServer, TestServer, ...TestServer[]]
  /** What all nodes have in common, to start one more. */
  readonly settings: Readonly<Record<string, string>>
}

export interface Cluster extends Nodes {
  readonly redis: RedisServer
}

/** Starts nodes in this process that share a new database, a new folder for files and a Redis of their own. */
export async function startCluster(count = 2, more: Record<string, string> = {}, log?: Log): Promise<Cluster> {
  const redis = await RedisServer.start()
  atFileEnd(() => redis.kill())
  return { redis, ...(await startNodes(redis.url, count, more, log)) }
}

/** Starts nodes in this process that share this Redis, a new database and a new folder for files. */
export async function startNodes(
  REDIS_URL: string,
  count = 2,
  more: Record<string, string> = {},
  log?: Log,
): Promise<Nodes> {
  const { url } = await testDatabase()
  const settings = {
    DATABASE_URL: url,
    REDIS_URL,
    FILES_FOLDER: await filesFolder(),
    PORTICO_SECRET: 'the secret of all nodes of a test cluster',
    ...more,
  }
  const [first, second, ...others] = await Promise.all(
    Array.from({ length: Math.max(2, count) }, () => startNode(settings, log)),
  )
  if (!first || !second) throw new Error('A cluster has at least two nodes')
  return { nodes: [first, second, ...others], settings }
}
