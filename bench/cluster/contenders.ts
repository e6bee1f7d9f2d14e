import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SCOPES, type Application } from '@portico/contract'
import { Client } from 'pg'
import { insertPeople, insertSessions } from '../api/people.ts'
import { PortalClient } from '../api/portal-client.ts'
import { insertChannel, insertRoom, type Place } from '../api/seed.ts'
import { startPortico, type Portico } from '../api/start-portico.ts'
import type { Stopping } from '../stopping.ts'

/** Members of the channel with the portal open. */
export const RECEIVERS = 200
const ROOMS = 16
const HISTORY = 1000
const QUOTA = 1_000_000

export interface Contender {
  readonly name: string
  readonly nodes: readonly Portico[]
  readonly key: string
  readonly rooms: readonly Place[]
  readonly cookies: readonly string[]
}

/** A portal with its own database, served by one process or by the nodes of a cluster. */
export async function startContender(
  { name, count, url, redisUrl }: { name: string; count: number; url: string; redisUrl: string | undefined },
  stopping: Stopping,
): Promise<Contender> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  stopping.add(() => rm(folder, { recursive: true }))
  const settings = {
    DATABASE_URL: url,
    PORTICO_SECRET: 'the secret of a benchmark, shared by its nodes',
    MEDIA: 'off',
    DATABASE_POOL_SIZE: '10',
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl, FILES_FOLDER: folder }),
  }
  const nodes: Portico[] = []
  for (let index = 0; index < count; index += 1) {
    const node = await startPortico({ profileTo: undefined, settings })
    stopping.add(node.stop)
    nodes.push(node)
  }
  const [first] = nodes
  if (!first) throw new Error('a portal needs a node')
  return { name, nodes, ...(await seed(first, url)) }
}

async function seed({ port, setUpCode }: Portico, url: string): Promise<Pick<Contender, 'key' | 'rooms' | 'cookies'>> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: applicationId } = await portal.call<Application>('POST', '/applications', { name: 'Shipyard' })
  await portal.call('PUT', `/applications/${applicationId}/limits`, { requests: QUOTA, writes: QUOTA })
  const scopes = Object.keys(SCOPES)
  const { key } = await portal.call<{ key: string }>('PUT', `/applications/${applicationId}/key`, { scopes })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const ids = await insertPeople(client, RECEIVERS)
    const channelId = await insertChannel(portal, client, { applicationId, name: 'Harbour', members: RECEIVERS + 2 })
    const rooms: Place[] = []
    while (rooms.length < ROOMS) rooms.push(await insertRoom(portal, client, channelId, HISTORY))
    const cookies = await insertSessions(client, ids)
    await client.query('VACUUM ANALYZE')
    return { key, rooms, cookies }
  } finally {
    await client.end()
  }
}
