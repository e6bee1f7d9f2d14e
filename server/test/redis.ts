import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import { isFullRun } from './full-run.ts'
import { ServerProgram } from './server-program.ts'
import { spawnBound } from './spawn-bound.ts'

/** The Redis or Valkey server of this machine, if there is one. Tests that need it are skipped by name elsewhere. */
export const redisProgram = (isFullRun ? (process.env['PATH'] ?? '') : '')
  .split(delimiter)
  .flatMap((folder) => ['redis-server', 'valkey-server'].map((name) => join(folder, name)))
  .find((path) => existsSync(path))

/** A Redis server on this machine, for one test file. */
export class RedisServer extends ServerProgram {
  readonly url: string

  /** Without persistence: it starts empty again. */
  static async start(...args: readonly string[]): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), args)
    await server.answers()
    return server
  }

  constructor(port: number, args: readonly string[]) {
    super(port, () => run(port, args))
    this.url = `redis://127.0.0.1:${port}`
  }

  /** Sends one command on a connection of its own. */
  ask(...command: string[]): Promise<unknown> {
    return askRedis(this.port, ...command)
  }
}

function run(port: number, args: readonly string[]): ChildProcess {
  if (redisProgram === undefined) throw new Error('There is no Redis server on this machine')
  const place = ['--bind', '127.0.0.1', '--port', String(port)]
  // A replica gets its copy without a file, too: the next server here would load it.
  const inMemory = ['--save', '', '--appendonly', 'no', '--repl-diskless-load', 'swapdb']
  return spawnBound(redisProgram, [...place, ...inMemory, ...args], { cwd: tmpdir() })
}

/** Sends one command to the Redis or Sentinel at this port. */
export async function askRedis(port: number, ...command: string[]): Promise<unknown> {
  // The configuration of all tests imports this file.
  const { createClient } = await import('@redis/client')
  const client = createClient({ socket: { port, reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}
