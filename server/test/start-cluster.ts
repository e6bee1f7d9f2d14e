import type { Log } from '../src/telemetry/log.ts'
import { testDatabase } from './database.ts'
import { atFileEnd } from './file-end.ts'
import { filesFolder } from './files-folder.ts'
import { RedisServer } from './redis.ts'
import { startNode, type TestServer } from './start-node.ts'

export interface Cluster {
  readonly nodes: readonly [TestServer, TestServer, ...TestServer[]]
  readonly redis: RedisServer
  /** What all nodes have in common, to start one more. */
  readonly settings: Readonly<Record<string, string>>
}

/** Starts nodes in this process that share a new database, a new folder for files and a Redis of their own. */
export async function startCluster(count = 2, more: Record<string, string> = {}, log?: Log): Promise<Cluster> {
  const redis = await RedisServer.start()
  atFileEnd(() => redis.kill())
  const { url } = await testDatabase()
  const settings = {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    FILES_FOLDER: await filesFolder(),
    PORTICO_SECRET: 'the secret of all nodes of a test cluster',
    ...more,
  }
  const [first, second, ...others] = await Promise.all(
    Array.from({ length: Math.max(2, count) }, () => startNode(settings, log)),
  )
  if (!first || !second) throw new Error('A cluster has at least two nodes')
  return { nodes: [first, second, ...others], redis, settings }
}
