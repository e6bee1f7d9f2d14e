import { randomUUID } from 'node:crypto'
import { SCOPES, type Application, type OwnChannel, type Role, type Room } from '@portico/contract'
import type { Client } from 'pg'
import { hashSecret } from '../../server/src/applications/key.ts'
import { openSecret } from '../../server/src/secrets/secret.ts'
import { markOf, mintEventToken } from '../../server/src/websocket/event-token.ts'
import { insertMembers, insertPeople, insertSessions } from '../api/people.ts'
import { PortalClient } from '../api/portal-client.ts'
import { connectTo } from '../api/seed.ts'
import type { Portico } from '../api/start-portico.ts'

/** How many channels a person is in, and how many people a channel has on average. */
const CHANNELS_EACH = 3
const PEOPLE_PER_CHANNEL = 250
const ROOMS_PER_CHANNEL = 6
/** Messages that are already in each room. */
const MESSAGES = 200
export const BOTS = 20
export const WEBHOOKS = 10
const QUOTA = 1_000_000

export interface Community {
  readonly channels: readonly SeededChannel[]
  readonly people: readonly SeededPerson[]
  /** The event tokens of the bots. */
  readonly tokens: readonly string[]
}

export interface SeededChannel {
  readonly id: string
  readonly rooms: readonly string[]
}

export interface SeededPerson {
  readonly cookie: string
  /** Positions in the list of channels. */
  readonly channels: readonly number[]
}

/** Channels of people who know each other, with bots in some of them. The webhooks are sent to `receiver`. */
export async function seed(
  { port, setUpCode, dataFolder }: Portico,
  people: number,
  receiver: string,
): Promise<Community> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const count = Math.max(CHANNELS_EACH, Math.round((people * CHANNELS_EACH) / PEOPLE_PER_CHANNEL))
  const channels: SeededChannel[] = []
  while (channels.length < count) channels.push(await createChannel(portal, channels.length))

  const client = await connectTo(dataFolder)
  try {
    const ids = await insertPeople(client, people)
    // Neighbours share a channel, and a person's channels are spread over all of them.
    const membership = ids.map((_, nth) =>
      Array.from(
        { length: CHANNELS_EACH },
        (_unused, which) => (nth + which * Math.floor(count / CHANNELS_EACH)) % count,
      ),
    )
    for (const [index, { id }] of channels.entries()) {
      const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${id}/roles`)
      const role = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
      const members = ids.filter((_, nth) => membership[nth]?.includes(index))
      await insertMembers(client, { channelId: id }, role?.id ?? '', members)
    }
    const cookies = await insertSessions(client, ids)
    for (const { id, rooms } of channels) for (const room of rooms) await insertMessages(client, id, room, ids)
    const tokens = await createBots({ portal, dataFolder }, channels, receiver)
    await client.query('VACUUM ANALYZE')
    return { channels, people: cookies.map((cookie, nth) => ({ cookie, channels: membership[nth] ?? [] })), tokens }
  } finally {
    await client.end()
  }
}

async function createChannel(portal: PortalClient, nth: number): Promise<SeededChannel> {
  const { id } = await portal.call<OwnChannel>('POST', '/channels', { name: `Quarter ${nth}`, open: true })
  const rooms: string[] = []
  while (rooms.length < ROOMS_PER_CHANNEL) {
    const room = await portal.call<Room>('POST', `/channels/${id}/rooms`, {
      name: `room ${rooms.length}`,
      type: 'text',
    })
    rooms.push(room.id)
  }
  return { id, rooms }
}

async function insertMessages(
  client: Client,
  channelId: string,
  roomId: string,
  authors: readonly string[],
): Promise<void> {
  await client.query(
    `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
    SELECT id, $1, $2, ($4::uuid[])[1 + n % array_length($4::uuid[], 1)],
      'The ferry leaves at noon, and crate ' || n || ' is still on the quay.', now() - make_interval(mins => $5 - n::int)
    FROM unnest($3::uuid[]) WITH ORDINALITY AS made (id, n)`,
    [channelId, roomId, idsInOrder(MESSAGES), authors.slice(0, 100), MESSAGES],
  )
}

/** Ids of messages of the last hours, oldest first. */
function idsInOrder(count: number): string[] {
  const start = Date.now() - count * 60_000
  return Array.from({ length: count }, (_, nth) => {
    const time = (start + nth * 60_000).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  })
}

/** Every bot is in one channel in ten. The last of them have a webhook, the others a stream. */
async function createBots(
  { portal, dataFolder }: { portal: PortalClient; dataFolder: string },
  channels: readonly SeededChannel[],
  receiver: string,
): Promise<string[]> {
  const secret = await openSecret({ PORTICO_SECRET: null, PORTICO_DATA: dataFolder })
  const expiresAt = Math.floor(Date.now() / 1000) + 21_600
  const tokens: string[] = []
  for (let nth = 0; nth < BOTS + WEBHOOKS; nth += 1) {
    const { id } = await portal.call<Application>('POST', '/applications', { name: `Crane ${nth}` })
    await portal.call('PUT', `/applications/${id}/limits`, { requests: QUOTA, writes: QUOTA })
    const { key } = await portal.call<{ key: string }>('PUT', `/applications/${id}/key`, {
      scopes: Object.keys(SCOPES),
    })
    for (const [index, channel] of channels.entries()) {
      if (index % 10 === nth % 10) await portal.call('PUT', `/channels/${channel.id}/applications/${id}`)
    }
    if (nth < BOTS)
      tokens.push(mintEventToken(secret, { applicationId: id, keyMark: markOf(hashSecret(key)), expiresAt }))
    else await portal.call('PUT', `/applications/${id}/webhook`, { url: receiver })
  }
  return tokens
}
