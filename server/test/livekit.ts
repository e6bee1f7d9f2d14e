import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { isFullRun } from './full-run.ts'
import { spawnBound } from './spawn-bound.ts'

/** The path of the LiveKit server, if there is one, from PORTICO_TEST_LIVEKIT. */
export const livekitProgram = [process.env['PORTICO_TEST_LIVEKIT']].find(
  (path) => isFullRun && path !== undefined && existsSync(path),
)

const CONFIG = 'livekit.yaml'
const KEY = { LIVEKIT_API_KEY: 'portico', LIVEKIT_API_SECRET: 'a secret of thirty-two characters' }

/** A real media server on this machine, for one test file. */
export class Livekit {
  readonly host: string
  /** The portal’s settings for it, and the port on which it expects the portal. */
  readonly settings: Readonly<Record<string, string>>
  readonly #folder: string
  readonly #program: string
  #running: ChildProcess

  /** With a Redis, it forms one service with others that have the same. All of them report to one portal. */
  static async start({ redis, portal }: { redis?: { port: number }; portal?: Livekit } = {}): Promise<Livekit> {
    if (livekitProgram === undefined) throw new Error('There is no LiveKit server; PORTICO_TEST_LIVEKIT names it')
    const [port, tcp, udp] = [await freePort(), await freePort(), await freePort()]
    const portalPort = portal ? Number(portal.settings['PORT']) : await freePort()
    const folder = await mkdtemp(join(tmpdir(), 'portico-livekit-'))
    const config = {
      port,
      bind_addresses: ['127.0.0.1'],
      rtc: {
        tcp_port: tcp,
        udp_port: udp,
        node_ip: '127.0.0.1',
        use_external_ip: false,
        enable_loopback_candidate: true,
      },
      keys: { [KEY.LIVEKIT_API_KEY]: KEY.LIVEKIT_API_SECRET },
      ...(redis && { redis: { address: `127.0.0.1:${redis.port}` } }),
      webhook: { api_key: KEY.LIVEKIT_API_KEY, urls: [`http://127.0.0.1:${portalPort}/media/livekit`] },
    }
    // JSON is valid YAML.
    await writeFile(join(folder, CONFIG), JSON.stringify(config))
    const livekit = new Livekit(`127.0.0.1:${port}`, portalPort, folder, livekitProgram)
    await livekit.#untilItAnswers()
    return livekit
  }

  constructor(host: string, portalPort: number, folder: string, program: string) {
    this.host = host
    this.settings = { ...KEY, LIVEKIT_URL: `ws://${host}`, PORT: String(portalPort) }
    this.#folder = folder
    this.#program = program
    this.#running = this.#run()
  }

  /** Kills it without a shutdown. */
  async kill(): Promise<void> {
    if (this.#hasEnded()) return
    const ended = once(this.#running, 'exit')
    this.#running.kill('SIGKILL')
    await ended
  }

  /** Starts it again on the same ports, without any state. */
  async startAgain(): Promise<void> {
    this.#running = this.#run()
    await this.#untilItAnswers()
  }

  async end(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #run(): ChildProcess {
    return spawnBound(this.#program, ['--config', join(this.#folder, CONFIG)])
  }

  async #untilItAnswers(): Promise<void> {
    while (!(await this.#answers())) {
      if (this.#hasEnded()) throw new Error(`The LiveKit server ended with ${this.#running.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  #hasEnded(): boolean {
    return this.#running.exitCode !== null || this.#running.signalCode !== null
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`http://${this.host}`)).ok
    } catch {
      return false
    }
  }
}
