import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AccessToken } from 'livekit-server-sdk'
import { freePort } from '../../server/test/free-port.ts'
import { pidOf } from '../api/child-program.ts'
import type { RoomAddress } from './room-client.ts'
import { withTimeLimit } from './time-limit.ts'

export const EMBEDDED = 'embedded'
export const LIVEKIT = 'livekit-server'

const KEY = { MEDIA_KEY: 'portico', MEDIA_SECRET: 'a secret of thirty-two characters' }

const START_SECONDS = 60
const MAX_OUTPUT = 10_000

/** A media server in a process of its own. */
export interface Contender {
  readonly name: string
  readonly pid: number
  /** The last that it has printed. */
  output(): string
  address(room: string, identity: string): Promise<RoomAddress>
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** The Node that runs it; the default is that of this process. */
  readonly node?: string | undefined
  /** The folder for a CPU profile. */
  readonly profileTo?: string | undefined
}

export async function startEmbedded({ node = process.execPath, profileTo }: EmbeddedOptions): Promise<Contender> {
  const child = fork(join(import.meta.dirname, 'embedded-program.ts'), {
    execPath: node,
    execArgv: profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileTo}`],
    env: { ...process.env, ...KEY },
  })
  const [{ port, mediaPort }] = (await once(child, 'message')) as [{ port: number; mediaPort: number }]
  return {
    name: EMBEDDED,
    pid: pidOf(child),
    output: () => '',
    address: (room, identity) => addressOf(port, mediaPort, room, identity),
    stop: () => end(child, 'SIGTERM'),
  }
}

export interface LivekitOptions {
  /** Bandwidth estimation, which clients must support with feedback; default: false. */
  readonly congestionControl?: boolean
}

/** With ICE as simple as ours. */
export async function startLivekit(
  program: string,
  { congestionControl = false }: LivekitOptions = {},
): Promise<Contender> {
  const [port, mediaPort, tcpPort] = [await freePort(), await freePort(), await freePort()]
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-livekit-'))
  const config = {
    port,
    bind_addresses: ['127.0.0.1'],
    rtc: {
      udp_port: mediaPort,
      tcp_port: tcpPort,
      node_ip: '127.0.0.1',
      use_external_ip: false,
      use_ice_lite: true,
      enable_loopback_candidate: true,
      congestion_control: { enabled: congestionControl },
    },
    keys: { [KEY.MEDIA_KEY]: KEY.MEDIA_SECRET },
    logging: { level: 'warn' },
  }
  // JSON is valid YAML.
  await writeFile(join(folder, 'livekit.yaml'), JSON.stringify(config))
  const child = spawn(program, ['--config', join(folder, 'livekit.yaml')], { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (printed = (printed + String(chunk)).slice(-MAX_OUTPUT)))
  const output = (): string => `${LIVEKIT} has printed:\n${printed}`
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${LIVEKIT} ended with ${code} before it answered\n${output()}`)
  })
  // Later its clients notice.
  ended.catch(() => undefined)
  try {
    const limit = { what: `the start of ${LIVEKIT}`, seconds: START_SECONDS, output }
    await withTimeLimit(limit, Promise.race([untilItAnswers(port), ended]))
  } catch (error) {
    await end(child, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return {
    name: LIVEKIT,
    pid: pidOf(child),
    output,
    address: (room, identity) => addressOf(port, mediaPort, room, identity),
    async stop() {
      await end(child, 'SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function addressOf(port: number, mediaPort: number, room: string, identity: string): Promise<RoomAddress> {
  const token = new AccessToken(KEY.MEDIA_KEY, KEY.MEDIA_SECRET, { identity, ttl: '1h' })
  token.addGrant({ room, roomJoin: true, canPublish: true, canSubscribe: true })
  return { url: `ws://127.0.0.1:${port}`, token: await token.toJwt(), mediaPort }
}

async function untilItAnswers(port: number): Promise<void> {
  while (!(await answers(port))) await sleep(100)
}

async function answers(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(1000) })).ok
  } catch {
    return false
  }
}

async function end(child: ReturnType<typeof spawn>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
