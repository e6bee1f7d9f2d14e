import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atFileEnd } from './file-end.ts'
import { freePort } from './free-port.ts'
import { askRedis, redisProgram, RedisServer } from './redis.ts'
import { spawnBound } from './spawn-bound.ts'
import { until } from './until.ts'

const GROUP = 'portico'
/** In milliseconds: after this without an answer, a Sentinel considers a server down. */
const DOWN_AFTER = 3000

export interface SentinelGroup {
  /** For `REDIS_URL`. */
  readonly url: string
  /** The server that the Sentinels call the primary. */
  primary(): Promise<RedisServer>
  /** Kills the Sentinel that `url` names first. */
  killSentinel(): void
}

/** A primary, a replica, and three Sentinels that watch them, for one test file. */
export async function startSentinelGroup(): Promise<SentinelGroup> {
  const first = await RedisServer.start()
  const second = await RedisServer.start('--replicaof', '127.0.0.1', String(first.port))
  const servers = [first, second]
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(first.port)))
  atFileEnd(async () => {
    for (const { running } of sentinels) running.kill('SIGKILL')
    for (const server of servers) await server.kill()
  })
  for (const { port } of sentinels) await until(() => knowsAll(port))
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${GROUP}`,
    async primary() {
      const port = sentinels.at(-1)?.port ?? 0
      const [, named] = (await askRedis(port, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', GROUP)) as [string, string]
      return servers.find((server) => server.port === Number(named)) ?? first
    },
    killSentinel: () => void sentinels[0]?.running.kill('SIGKILL'),
  }
}

async function knowsAll(port: number): Promise<boolean> {
  const facts = (await askRedis(port, 'SENTINEL', 'MASTER', GROUP)) as Record<string, string>
  return facts['flags'] === 'master' && facts['num-slaves'] === '1' && facts['num-other-sentinels'] === '2'
}

async function startSentinel(primary: number) {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'portico-sentinel-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  const config = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${GROUP} 127.0.0.1 ${primary} 2`,
    `sentinel down-after-milliseconds ${GROUP} ${DOWN_AFTER}`,
    `sentinel failover-timeout ${GROUP} 3000`,
  ]
  await writeFile(config, `${lines.join('\n')}\n`)
  return { port, running: spawnBound(redisProgram ?? '', [config, '--sentinel']) }
}
