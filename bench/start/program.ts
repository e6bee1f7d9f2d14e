import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pidOf } from '../api/child-program.ts'
import { cpuSeconds, postgresSeconds } from '../api/cpu-time.ts'

/** The environment of the benchmark must not reach the measured program. */
const PLAIN = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]]))
/** In milliseconds: how often the program is asked whether it serves. */
const ASK_EVERY = 5
const SETTLE = 1000

export interface Started {
  /** Milliseconds from the start of the process to the first answer that it is ready. */
  readonly ms: number
  /** Milliseconds of processor time until then. */
  readonly nodeCpu: number
  readonly postgresCpu: number
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  readonly started: Started
}

export interface Contender {
  readonly name: string
  start(profileTo?: string): Promise<Running>
  remove(): Promise<void>
}

/** A checkout with a data folder of its own, which was started and stopped twice: nothing is done for the first time. */
export async function prepare(
  { name, checkout }: { name: string; checkout: string },
  node: string,
): Promise<Contender> {
  const parent = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  await chmod(parent, 0o755)
  const dataFolder = join(parent, 'data')
  const port = await freePort()
  // As `npm start` sets it, if that checkout does.
  const { compiled } = (await import(join(checkout, 'scripts/bootstrap/paths.mjs'))) as { compiled?: string }
  const settings = { HOST: '127.0.0.1', PORT: String(port), PORTICO_DATA: dataFolder, LOG_LEVEL: 'warn' }

  const start = async (profileTo?: string): Promise<Running> => {
    const flags = profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]
    const begun = performance.now()
    const child = spawn(node, [...flags, join(checkout, 'server/src/main.ts'), 'start'], {
      env: { ...PLAIN, ...settings, ...(compiled !== undefined && { NODE_COMPILE_CACHE: compiled }) },
      stdio: ['ignore', 'ignore', 'inherit'],
      cwd: '/',
    })
    const ended = once(child, 'close')
    await untilReady(port, child)
    const ms = performance.now() - begun
    const pid = pidOf(child)
    const [nodeCpu = NaN, postgresCpu = NaN] = [await cpuSeconds(pid), await postgresSeconds(dataFolder)]
    return {
      pid,
      started: { ms, nodeCpu: nodeCpu * 1000, postgresCpu: postgresCpu * 1000 },
      async [Symbol.asyncDispose]() {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
  for (let times = 0; times < 2; times += 1) {
    await using running = await start()
    // What is written for later starts is written when it stops.
    await sleep(SETTLE, running)
  }
  return { name, start, remove: () => rm(parent, { recursive: true, force: true }) }
}

async function untilReady(port: number, child: ChildProcess): Promise<void> {
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error('the program ended before it served')
    await sleep(ASK_EVERY)
  }
}

async function isReady(port: number): Promise<boolean> {
  const request = get({ host: '127.0.0.1', port, path: '/readyz', agent: false })
  const { promise, resolve } = Promise.withResolvers<boolean>()
  request.on('response', (response) => resolve(response.resume().statusCode === 200))
  request.on('error', () => resolve(false))
  return promise
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (typeof address !== 'object' || !address) throw new Error('no free port')
  return address.port
}
