import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../server/test/free-port.ts'
import { balancerOf, prepareNginx } from '../../server/test/nginx.ts'
import type { RedisServer } from '../../server/test/redis.ts'
import { ServerProgram } from '../../server/test/server-program.ts'
import { startMedia, startPostgres, startRedis, startStorage } from './backends.ts'
import { killWhileMigrating } from './kill-while-migrating.ts'
import type { World } from './part.ts'
import { Program } from './program.ts'
import { Provisions } from './provisions.ts'
import { Relay } from './relay.ts'
import { serverPart } from './server-part.ts'
import { countSessions } from './sessions.ts'
import type { WorldOptions } from './world-options.ts'

const NODES = 3

/**
 * The timeouts that docs/scaling.md recommends: a node that hangs doesn’t answer. Where nginx has no answer of a node, it closes the
 * connection: what became of the request is unknown then. It doesn’t send a deletion to a second node, which would find
 * nothing to delete if the first one was killed after the commit.
 */
const PROXY = `
  error_log /dev/null;
  proxy_connect_timeout 2s;
  proxy_read_timeout 15s;
  recursive_error_pages on;
  error_page 502 504 @unknown;
  location @unknown { return 444; }
  error_page 418 = @once;
  if ($request_method = DELETE) { return 418; }
  location @once {
    proxy_pass http://nodes;
    proxy_next_upstream off;
  }
  location = /connection/websocket {
    proxy_pass http://nodes;
    proxy_read_timeout 60s;
  }
`

/**
 * Three nodes behind nginx on one PostgreSQL, one Redis and one storage. A network that can fail is between the clients and nginx,
 * and between each node and PostgreSQL and Redis. `ending` stops what was started.
 */
export async function startCluster(options: WorldOptions, ending: AsyncDisposableStack): Promise<World> {
  const provisions = new Provisions(options)
  ending.defer(() => provisions.remove())
  const postgres = await startPostgres(provisions, ending)
  const redis = await startRedis(ending)
  const storage = await startStorage(provisions, ending)
  const media = await startMedia(ending)
  const proxyPort = Number(media?.settings['PORT'] ?? (await freePort()))
  const clients = await openRelay('clients', 'clients', proxyPort, ending)
  const relays = [clients]

  const nodes: Program[] = []
  const urls: string[] = []
  while (nodes.length < NODES) {
    const name = `node-${nodes.length + 1}`
    const toPostgres = await openRelay('postgres', `${name} to postgres`, postgres.port, ending)
    const toRedis = await openRelay('redis', `${name} to redis`, redis.port, ending)
    relays.push(toPostgres, toRedis)
    const database = new URL(postgres.url('portico'))
    database.port = String(toPostgres.port)
    const port = await freePort()
    urls.push(`http://127.0.0.1:${port}`)
    const node = new Program({
      ...options,
      name,
      port,
      settings: {
        ...storage.settings,
        ...(media?.settings ?? { MEDIA: 'off' }),
        PORTICO_DATA: join(options.folder, name),
        PUBLIC_URL: clients.url,
        DATABASE_URL: database.href,
        DATABASE_POOL_SIZE: '10',
        REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
        PORTICO_SECRET: 'the secret of all nodes of a simulated cluster',
        TRUSTED_PROXIES: '127.0.0.1',
        ...(await provisions.clockFor('jump-clock', 'portico', name)),
        ...options.settings,
        PORT: String(port),
      },
    })
    ending.defer(() => node.stop())
    nodes.push(node)
  }
  const [first] = nodes
  if (!first) throw new Error('a cluster has nodes')
  await killWhileMigrating(first, options)
  await Promise.all(nodes.map((node) => node.startAgain()))
  const proxy = await startProxy(urls, proxyPort, ending)

  const database = { connectionString: postgres.url('portico') }
  return {
    url: clients.url,
    setUpCode: await first.setUpCode,
    parts: [
      ...nodes,
      {
        kind: 'postgres',
        name: 'postgres',
        freeze: () => postgres.freeze(),
        resume: () => postgres.resume(),
        kill: () => postgres.kill(),
        startAgain: () => postgres.startAgain(),
      },
      serverPart('redis', redis),
      serverPart('proxy', proxy),
      ...storage.parts,
      ...(media?.parts ?? []),
    ],
    relays,
    ...provisions.asWorld,
    remarks: [
      ...(storage.parts.length === 0 ? ['Files are in a shared folder: PORTICO_TEST_S3 names no S3 server.'] : []),
      ...(media ? [] : ['There is no media server: PORTICO_TEST_LIVEKIT names none.']),
    ],
    database: async () => database,
    held: async () =>
      Object.assign({}, ...(await Promise.all(nodes.map((node) => node.held()))), {
        'postgres: connections': await countSessions(database),
        'redis: clients': await countClients(redis),
      }) as Record<string, number>,
  }
}

async function openRelay(kind: string, name: string, target: number, ending: AsyncDisposableStack): Promise<Relay> {
  const relay = await Relay.start({ kind, name, target })
  ending.defer(() => relay.close())
  return relay
}

async function startProxy(urls: readonly string[], port: number, ending: AsyncDisposableStack): Promise<ServerProgram> {
  const { folder, run } = await prepareNginx(balancerOf(urls, port, PROXY))
  ending.defer(() => rm(folder, { recursive: true, force: true }))
  const proxy = new ServerProgram(port, run)
  ending.defer(() => proxy.kill())
  await proxy.answers()
  return proxy
}

async function countClients(redis: RedisServer): Promise<number> {
  const clients = String(await redis.ask('CLIENT', 'LIST'))
  // Without the one that asks.
  return clients.trim().split('\n').length - 1
}
