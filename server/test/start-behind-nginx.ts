import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../src/telemetry/log.ts'
import { acceptsConnections } from './accepts-connections.ts'
import { atFileEnd } from './file-end.ts'
import { freePort } from './free-port.ts'
import { balancerOf, startNginx } from './nginx.ts'
import { startCluster } from './start-cluster.ts'
import type { TestServer } from './start-node.ts'

/** Voice needs a LiveKit server in a cluster. Its tokens are issued without one. */
const LIVEKIT = {
  LIVEKIT_URL: 'ws://127.0.0.1:9',
  LIVEKIT_API_KEY: 'test',
  LIVEKIT_API_SECRET: 'the secret of a LiveKit that is not there',
}

export interface ClusterBehindNginx extends TestServer {
  readonly nodes: readonly TestServer[]
}

/** Starts nodes behind nginx, which sends every request to a random one. The services are those of the first node. */
export async function startBehindNginx(
  count: number,
  settings: Record<string, string> = {},
  log?: Log,
): Promise<ClusterBehindNginx> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-test-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  const voice = settings['MEDIA'] === 'on' ? LIVEKIT : {}
  const { PORTICO_DATA = folder } = settings
  const FILES_FOLDER = join(PORTICO_DATA, 'files')
  await mkdir(FILES_FOLDER, { recursive: true })
  const { nodes } = await startCluster(count, { PORTICO_DATA, FILES_FOLDER, ...voice, ...settings }, log)
  const port = await freePort()
  const nginx = await startNginx(
    balancerOf(
      nodes.map(({ url }) => url),
      port,
    ),
  )
  atFileEnd(() => nginx.stop())
  while (!(await acceptsConnections(port))) await sleep(20)
  return {
    ...nodes[0],
    nodes,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}
