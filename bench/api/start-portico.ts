import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { INSPECTED, inspectorOf } from '../events/inspector.ts'
import { pidOf } from './child-program.ts'

const THIS_CHECKOUT = join(import.meta.dirname, '../..')

/** The environment of the benchmark must not reach the measured program. */
const PLAIN = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].map((name) => [name, process.env[name]]))

const LOG = { LOG_LEVEL: 'warn', LOG_FORMAT: 'json' }

/** One person at one address makes all requests, so rate limits are raised. */
const LIMITS = { RATE_LIMIT_FACTOR: '1000000' }

export interface Portico {
  readonly pid: number
  readonly port: number
  readonly dataFolder: string
  /** The set-up code for the first administrator. */
  readonly setUpCode: string
  /** The inspector's address, if it was started with one. */
  readonly inspector: string | undefined
  stop(): Promise<void>
}

interface StartOptions {
  readonly profileTo: string | undefined
  /** The folder of the source code that runs; by default this one. */
  readonly checkout?: string
  readonly settings?: Record<string, string>
  readonly inspected?: boolean
  /** Called with what the program prints while it runs; by default that goes to standard output. */
  readonly onOutput?: (text: string) => void
}

/** The program as operators run it, with a new data folder that is removed when it stops. */
export async function startPortico(options: StartOptions): Promise<Portico> {
  const { profileTo, settings, inspected = false } = options
  const { checkout = THIS_CHECKOUT, onOutput = (text) => process.stdout.write(text) } = options
  const parent = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  await chmod(parent, 0o755)
  const dataFolder = join(parent, 'data')
  const flags = profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`]
  if (inspected) flags.push(INSPECTED)
  const child = spawn(process.execPath, [...flags, join(checkout, 'server/src/main.ts'), 'start'], {
    env: { ...PLAIN, HOST: '127.0.0.1', PORT: '0', PORTICO_DATA: dataFolder, ...LOG, ...LIMITS, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: '/',
  })
  const ended = once(child, 'close')
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    await rm(parent, { recursive: true, force: true })
  }

  const inspector = inspected ? await inspectorOf(child.stderr) : undefined
  if (!inspected) child.stderr.pipe(process.stderr)
  let said = ''
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    const port = /Portal +http:\/\/[^/\s]+:(\d+)/.exec(said)?.[1]
    const setUpCode = /set-up\?code=(\w+)/.exec(said)?.[1]
    if (port === undefined || setUpCode === undefined) continue
    child.stdout.on('data', (output) => onOutput(String(output)))
    return { pid: pidOf(child), port: Number(port), dataFolder, setUpCode, inspector, stop }
  }
  await stop()
  throw new Error(`Portico ended before it served:\n${said}`)
}
