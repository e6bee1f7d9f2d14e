import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../server/test/free-port.ts'

/** Where a LiveKit server is, if there is one: PORTICO_TEST_LIVEKIT names the program. */
export const livekitProgram = [process.env['PORTICO_TEST_LIVEKIT']].find(
  (path) => path !== undefined && existsSync(path),
)

const KEY = { LIVEKIT_API_KEY: 'portico', LIVEKIT_API_SECRET: 'a secret of thirty-two characters' }

/** A real media server on this machine, for one test file. */
export class Livekit {
  readonly host: string
  /** What a portal needs to know of it. */
  readonly settings: Readonly<Record<string, string>>
  readonly #folder: string
  #running: ChildProcess | undefined

  static async start(): Promise<Livekit> {
    const [port, tcp, udp] = [await freePort(), await freePort(), await freePort()]
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
    }
    // YAML holds JSON.
    await writeFile(join(folder, 'livekit.yaml'), JSON.stringify(config))
    const livekit = new Livekit(`127.0.0.1:${port}`, folder)
    await livekit.go()
    return livekit
  }

  constructor(host: string, folder: string) {
    this.host = host
    this.settings = { ...KEY, LIVEKIT_URL: `ws://${host}` }
    this.#folder = folder
  }

  /** Starts it, or starts it again where it was. */
  async go(): Promise<void> {
    if (livekitProgram === undefined) throw new Error('There is no LiveKit server; PORTICO_TEST_LIVEKIT names it')
    const running = spawn(livekitProgram, ['--config', join(this.#folder, 'livekit.yaml')], { stdio: 'ignore' })
    this.#running = running
    while (!(await this.#answers())) {
      if (running.exitCode !== null) throw new Error(`The LiveKit server ended with ${running.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** Ends it as a power cut would: nobody is told. */
  async cut(): Promise<void> {
    const running = this.#running
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill('SIGKILL')
    await ended
  }

  async end(): Promise<void> {
    await this.cut()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`http://${this.host}`)).ok
    } catch {
      return false
    }
  }
}
