import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Livekit, livekitProgram } from '../../server/test/livekit.ts'
import { PostgresServer } from '../../server/test/postgres-server.ts'
import { RedisServer } from '../../server/test/redis.ts'
import { S3Server, s3Program } from '../../server/test/s3.ts'
import type { Part } from './part.ts'
import type { Provisions } from './provisions.ts'
import { serverPart } from './server-part.ts'

/** Something that the nodes of a cluster share, and the settings by which they find it. */
interface Backend {
  readonly settings: Readonly<Record<string, string>>
  readonly parts: readonly Part[]
}

export async function startPostgres(provisions: Provisions, ending: AsyncDisposableStack): Promise<PostgresServer> {
  const { folder, disk } = await provisions.diskFor('fill-disk', 'postgres')
  const inside = join(folder, 'files')
  await mkdir(inside, { recursive: true })
  const env = {
    PATH: process.env['PATH'],
    ...(await provisions.clockFor('jump-postgres-clock', 'postgres', 'postgres')),
  }
  const server = await PostgresServer.create({ folder: inside, settings: { fsync: 'on' }, env })
  ending.defer(() => server.end())
  if (disk) disk.recover = () => server.startAgain()
  await server.query('CREATE DATABASE portico')
  return server
}

export async function startRedis(ending: AsyncDisposableStack): Promise<RedisServer> {
  const server = await RedisServer.start()
  ending.defer(() => server.kill())
  return server
}

/** A bucket if there is an S3 server, otherwise a folder that all nodes share. */
export async function startStorage(provisions: Provisions, ending: AsyncDisposableStack): Promise<Backend> {
  const { folder } = await provisions.diskFor('fill-storage', 'storage')
  await mkdir(folder, { recursive: true })
  if (s3Program === undefined) return { settings: { FILES_FOLDER: folder }, parts: [] }
  const server = await S3Server.startIn(folder)
  ending.defer(() => server.kill())
  return { settings: server.settings, parts: [serverPart('storage', server)] }
}

/** Undefined if there is no LiveKit: then voice rooms have occupants, but no media. The portal has to listen at its `PORT`. */
export async function startMedia(ending: AsyncDisposableStack): Promise<Backend | undefined> {
  if (livekitProgram === undefined) return undefined
  const server = await Livekit.start()
  ending.defer(() => server.end())
  const part = { kind: 'media', name: 'media', kill: () => server.kill(), startAgain: () => server.startAgain() }
  return { settings: server.settings, parts: [part] }
}
