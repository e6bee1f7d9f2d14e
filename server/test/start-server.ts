import type { Log } from '../src/telemetry/log.ts'
import { startBehindNginx } from './start-behind-nginx.ts'
import { startNode, type TestServer } from './start-node.ts'

export type { TestServer }

/** The settings of a server with the embedded media server, on a free port of this machine. */
export const MEDIA_ON = { MEDIA: 'on', MEDIA_PORT: '0', MEDIA_ADDRESS: '127.0.0.1' }

/** With this setting of the tests themselves, every server is a cluster of as many nodes behind nginx. */
const NODES = Number(process.env['PORTICO_TEST_CLUSTER'] ?? 1)
/** Then nginx itself answers what isn't HTTP, or has no readable address or host. */
export const isBehindNginx = NODES > 1

/** Starts the real server on a free port, with its own database and data folder. Stopped at the end of the test file. */
export function startServer(settings: Record<string, string> = {}, log?: Log): Promise<TestServer> {
  const isCluster = isBehindNginx && settings['REDIS_URL'] === undefined
  return isCluster ? startBehindNginx(NODES, settings, log) : startNode(settings, log)
}
