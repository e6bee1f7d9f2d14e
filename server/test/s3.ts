import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptsConnections } from './accepts-connections.ts'
import { freePort } from './free-port.ts'

/** The path of the S3 server (versitygw), if there is one, from PORTICO_TEST_S3. */
export const s3Program = [process.env['PORTICO_TEST_S3']].find((path) => path !== undefined && existsSync(path))

const BUCKET = 'portico'
const KEY = { S3_ACCESS_KEY_ID: 'portico', S3_SECRET_ACCESS_KEY: 'the secret key of a test bucket' }

/** A real S3 server on this machine, for one test file. It verifies signatures, and keeps a bucket in a folder. */
export class S3Server {
  /** The portal’s settings for it. */
  readonly settings: Readonly<Record<'S3_ENDPOINT' | 'S3_BUCKET' | keyof typeof KEY, string>>
  readonly #port: number
  readonly #folder: string
  #running: ChildProcess

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'portico-s3-'))
    await mkdir(join(folder, BUCKET))
    const server = new S3Server(await freePort(), folder)
    await server.#answers()
    return server
  }

  constructor(port: number, folder: string) {
    this.#port = port
    this.#folder = folder
    this.settings = { S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: BUCKET, ...KEY }
    this.#running = this.#run()
  }

  /** The names of all files in the bucket. */
  async names(): Promise<string[]> {
    const entries = await readdir(join(this.#folder, BUCKET), { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  }

  /** SIGSTOP makes it silent, and SIGCONT lets it go on. */
  signal(name: NodeJS.Signals): void {
    this.#running.kill(name)
  }

  async kill(): Promise<void> {
    if (this.#running.exitCode !== null || this.#running.signalCode !== null) return
    const ended = once(this.#running, 'exit')
    this.#running.kill('SIGKILL')
    await ended
  }

  /** With all its files. */
  async startAgain(): Promise<void> {
    this.#running = this.#run()
    await this.#answers()
  }

  async end(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #run(): ChildProcess {
    if (s3Program === undefined) throw new Error('There is no S3 server; PORTICO_TEST_S3 names it')
    const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = KEY
    const login = ['--access', S3_ACCESS_KEY_ID, '--secret', S3_SECRET_ACCESS_KEY]
    const args = [...login, '--port', `127.0.0.1:${this.#port}`, 'posix', this.#folder]
    return spawn(s3Program, args, { stdio: 'ignore' })
  }

  async #answers(): Promise<void> {
    while (!(await acceptsConnections(this.#port))) {
      if (this.#running.exitCode !== null) throw new Error(`The S3 server ended with ${this.#running.exitCode}`)
      await sleep(20)
    }
  }
}
