import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SCOPES, type Application, type Role } from '@portico/contract'
import { Client } from 'pg'
import { insertMembers, insertPeople, insertSessions } from '../api/people.ts'
import { PortalClient } from '../api/portal-client.ts'
import { insertChannel, insertRoom, type Place } from '../api/seed.ts'
import { startPortico, type Portico } from '../api/start-portico.ts'
import type { Stopping } from '../stopping.ts'

/** Members of the channel with the portal open. */
export const RECEIVERS = 200
/** Channels that share these people. */
export const DOCKS = 4
const ROOMS = 16
const HISTORY = 1000
const QUOTA = 1_000_000

export interface Contender {
  readonly name: string
  readonly nodes: readonly Portico[]
  readonly key: string
  readonly rooms: readonly Place[]
  readonly cookies: readonly string[]
  /** Rooms in channels of their own, each with an equal share of the people, in order. */
  readonly docks: readonly Place[]
}

interface Wanted {
  readonly name: string
  readonly count: number
  readonly url: string
  readonly redisUrl: string | undefined
  /** The folder of the source code that runs; by default this one. */
  readonly checkout?: string | undefined
}

/** A portal with its own database, served by one process or by the nodes of a cluster. */
export async function startContender(
  { name, count, url, redisUrl, checkout }: Wanted,
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
    const node = await startPortico({ profileTo: undefined, settings, ...(checkout !== undefined && { checkout }) })
    stopping.add(node.stop)
    nodes.push(node)
  }
  const [first] = nodes
  if (!first) throw new Error('a portal needs a node')
  return { name, nodes, ...(await seed(first, url)) }
}

async function seed(
  { port, setUpCode }: Portico,
  url: string,
): Promise<Pick<Contender, 'key' | 'rooms' | 'cookies' | 'docks'>> {
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
    const docks: Place[] = []
    while (docks.length < DOCKS) {
      const id = await insertChannel(portal, client, { applicationId, name: `Dock ${docks.length}`, members: 2 })
      docks.push(await insertRoom(portal, client, id, HISTORY))
      const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${id}/roles`)
      const member = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')?.id ?? ''
      const share = ids.slice(((docks.length - 1) * RECEIVERS) / DOCKS, (docks.length * RECEIVERS) / DOCKS)
      await insertMembers(client, { channelId: id }, member, share)
    }
    const cookies = await insertSessions(client, ids)
    await client.query('VACUUM ANALYZE')
    return { key, rooms, cookies, docks }
  } finally {
    await client.end()
  }
}
