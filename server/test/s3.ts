import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { ServerProgram } from './server-program.ts'
import { spawnBound } from './spawn-bound.ts'

/** The path of the S3 server (versitygw), if there is one, from PORTICO_TEST_S3. */
export const s3Program = [process.env['PORTICO_TEST_S3']].find((path) => path !== undefined && existsSync(path))

const BUCKET = 'portico'
const KEY = { S3_ACCESS_KEY_ID: 'portico', S3_SECRET_ACCESS_KEY: 'the secret key of a test bucket' }

/** A real S3 server on this machine, for one test file. It verifies signatures, and keeps a bucket in a folder. */
export class S3Server extends ServerProgram {
  /** The portal’s settings for it. */
  readonly settings: Readonly<Record<'S3_ENDPOINT' | 'S3_BUCKET' | keyof typeof KEY, string>>
  readonly #folder: string

  static async start(...options: readonly string[]): Promise<S3Server> {
    return S3Server.startIn(await mkdtemp(join(tmpdir(), 'portico-s3-')), ...options)
  }

  /** Keeps the bucket in this folder. */
  static async startIn(folder: string, ...options: readonly string[]): Promise<S3Server> {
    await mkdir(join(folder, BUCKET))
    const server = new S3Server(await freePort(), folder, options)
    await server.answers()
    return server
  }

  constructor(port: number, folder: string, options: readonly string[]) {
    super(port, () => run(port, folder, options))
    this.#folder = folder
    this.settings = { S3_ENDPOINT: `http://127.0.0.1:${port}`, S3_BUCKET: BUCKET, ...KEY }
  }

  /** The names of all files in the bucket. */
  async names(): Promise<string[]> {
    const entries = await readdir(join(this.#folder, BUCKET), { withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
  }

  async end(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function run(port: number, folder: string, options: readonly string[]): ChildProcess {
  if (s3Program === undefined) throw new Error('There is no S3 server; PORTICO_TEST_S3 names it')
  const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = KEY
  const login = ['--access', S3_ACCESS_KEY_ID, '--secret', S3_SECRET_ACCESS_KEY]
  const args = [...login, '--port', `127.0.0.1:${port}`, ...options, 'posix', folder]
  return spawnBound(s3Program, args)
}
