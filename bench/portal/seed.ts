import { SCOPES, type Application } from '@portico/contract'
import { PortalClient } from '../api/portal-client.ts'
import { connectTo, insertChannel, insertPeople, insertRoom } from '../api/seed.ts'
import type { Portico } from '../api/start-portico.ts'

export interface SeededRoom {
  readonly id: string
  readonly name: string
  readonly path: string
}

export interface Seeded {
  readonly origin: string
  readonly channelId: string
  /** The person who uses the portal. */
  readonly cookie: string
  /** The key of the application that writes. */
  readonly key: string
  readonly fiveThousand: SeededRoom
  readonly tenThousand: SeededRoom
  /** More than the portal keeps in memory. */
  readonly others: readonly SeededRoom[]
}

const MEMBERS = 200
const OTHERS = 14
const HIGHEST_QUOTA = 1_000_000

/** A channel of 200 members with rooms of 1,000, 5,000 and 10,000 messages, all of them read. */
export async function seed({ port, setUpCode, dataFolder }: Portico): Promise<Seeded> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: applicationId } = await portal.call<Application>('POST', '/applications', { name: 'Shipyard' })
  const limits = { requests: HIGHEST_QUOTA, writes: HIGHEST_QUOTA }
  await portal.call('PUT', `/applications/${applicationId}/limits`, limits)
  const scopes = Object.keys(SCOPES)
  const { key } = await portal.call<{ key: string }>('PUT', `/applications/${applicationId}/key`, { scopes })

  const client = await connectTo(dataFolder)
  try {
    await insertPeople(client, MEMBERS - 2)
    const channelId = await insertChannel(portal, client, { applicationId, name: 'Harbour', members: MEMBERS })
    const room = async (name: string, messages: number): Promise<SeededRoom> => {
      const { roomId } = await insertRoom(portal, client, channelId, messages, { name })
      return { id: roomId, name, path: `/c/${channelId}/${roomId}` }
    }
    const fiveThousand = await room('quay of 5,000', 5_000)
    const tenThousand = await room('quay of 10,000', 10_000)
    const others: SeededRoom[] = []
    while (others.length < OTHERS) others.push(await room(`quay ${others.length + 1}`, 1_000))
    await client.query('VACUUM ANALYZE')
    await portal.call('PUT', `/channels/${channelId}/read`)
    const origin = `http://127.0.0.1:${port}`
    return { origin, channelId, cookie: portal.cookie, key, fiveThousand, tenThousand, others }
  } finally {
    await client.end()
  }
}
