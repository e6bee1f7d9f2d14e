import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { startEmbedded } from '../server/src/db/embedded/start-embedded.ts'
import { freePort } from '../server/test/free-port.ts'
import { databaseUrl, queryDatabase } from '../server/test/query-database.ts'
import { pidOf, startProgram } from './api/child-program.ts'
import { circumstances } from './api/circumstances.ts'
import { startContender, type Contender } from './cluster/contenders.ts'
import { figureOf, lineOf } from './cluster/figure.ts'
import { roundOf, WORK, type Round, type Setup } from './cluster/measure.ts'
import { Stopping } from './stopping.ts'

const LAST = join(import.meta.dirname, 'cluster.json')
/** In milliseconds, for each node. */
const WARM_UP = 5000

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1,2,4' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    work: { type: 'string' },
    against: { type: 'string' },
    out: { type: 'string' },
  },
})

const stopping = new Stopping()
try {
  const databases = await startDatabase()
  const redis = await startRedis()
  const contenders: Contender[] = []
  const counts = values.nodes.split(',').map(Number)
  const sizes = values.against === undefined ? [undefined, ...counts] : counts
  for (const checkout of values.against === undefined ? [undefined] : [undefined, values.against]) {
    for (const count of sizes) {
      const size = count === undefined ? 'single' : `${count} ${count === 1 ? 'node' : 'nodes'}`
      const name = checkout === undefined ? size : `${size} of the other`
      const database = `portal_${contenders.length}`
      await queryDatabase(databases.url, `CREATE DATABASE ${database}`)
      const url = databaseUrl(databases.url, database)
      const redisUrl = count === undefined ? undefined : redis.url
      contenders.push(await startContender({ name, count: count ?? 1, url, redisUrl, checkout }, stopping))
    }
  }
  const load = startProgram('load-program.ts')
  stopping.add(load.stop)
  const receivers = startProgram('../events/receivers-program.ts')
  stopping.add(receivers.stop)
  const milliseconds = Number(values.seconds) * 1000
  const { pid: redisPid, port: redisPort } = redis
  const setup: Setup = { load, receivers, dataFolder: databases.folder, redisPid, redisPort, milliseconds }

  const measured = []
  for (const work of WORK.filter((one) => values.work?.split(',').includes(one) ?? true)) {
    // All code is compiled before anything counts, on each node by as many requests.
    for (const contender of contenders) {
      for (const node of contender.nodes) {
        await roundOf({ ...setup, milliseconds: WARM_UP }, { ...contender, nodes: [node] }, work)
      }
    }
    const rounds = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
    for (let round = 0; round < Number(values.rounds); round += 1) {
      for (const index of contenders.keys()) {
        const contender = contenders[(index + round) % contenders.length]
        if (contender) rounds.get(contender.name)?.push(await roundOf(setup, contender, work))
      }
    }
    for (const [name, all] of rounds) measured.push(figureOf(work, name, all))
  }
  for (const figure of measured) console.log(lineOf(figure))
  await writeFile(values.out ?? LAST, `${JSON.stringify({ ...circumstances(), measured }, null, 2)}\n`)
} finally {
  await stopping.all()
}

/** PostgreSQL as operators run it, with fsync, for all portals. */
async function startDatabase(): Promise<{ url: string; folder: string }> {
  const parent = await mkdtemp(join(tmpdir(), 'portico-bench-cluster-'))
  await chmod(parent, 0o755)
  stopping.add(() => rm(parent, { recursive: true, force: true }))
  const folder = join(parent, 'data')
  const settings = { max_connections: '200' }
  const { connection, stop } = await startEmbedded({ dataDir: folder, log: pino({ level: 'warn' }), settings })
  stopping.add(stop)
  const { host, port, user, password } = connection
  const address = new URLSearchParams({ host, port: String(port) }).toString()
  return { url: `postgres://${user}:${password}@localhost/postgres?${address}`, folder }
}

async function startRedis(): Promise<{ url: string; pid: number; port: number }> {
  const port = await freePort()
  const place = ['--bind', '127.0.0.1', '--port', String(port)]
  const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  stopping.add(async () => {
    child.kill()
    await ended
  })
  return { url: `redis://127.0.0.1:${port}`, pid: pidOf(child), port }
}
