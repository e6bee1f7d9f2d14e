import { randomUUID } from 'node:crypto'
import { SCOPES, type Application, type OwnChannel, type Role, type Room } from '@portico/contract'
import type { Client } from 'pg'
import { hashSecret } from '../../server/src/secrets/generated-secret.ts'
import { openSecret } from '../../server/src/secrets/secret.ts'
import { markKey, mintEventToken } from '../../server/src/websocket/event-token.ts'
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
  const bots = await createBots(portal)
  const client = await connectTo(dataFolder)
  try {
    const count = Math.max(CHANNELS_EACH, Math.round((people * CHANNELS_EACH) / PEOPLE_PER_CHANNEL))
    const ids = await insertPeople(client, people)
    // Neighbors share a channel, and a person's channels are spread over all of them.
    const membership = ids.map((_, position) =>
      Array.from(
        { length: CHANNELS_EACH },
        (_unused, which) => (position + which * Math.floor(count / CHANNELS_EACH)) % count,
      ),
    )
    const channels: SeededChannel[] = []
    for (let position = 0; position < count; position += 1) {
      const channel = await createChannel(portal, position)
      channels.push(channel)
      await installBots(portal, channel, bots, position)
      const members = ids.filter((_, person) => membership[person]?.includes(position))
      await moveIn(portal, client, channel, members)
      for (const room of channel.rooms) await insertMessages(client, channel.id, room, members)
    }
    for (const { id } of bots.slice(BOTS)) await portal.call('PUT', `/applications/${id}/webhook`, { url: receiver })
    const cookies = await insertSessions(client, ids)
    const tokens = await tokensOf(bots.slice(0, BOTS), dataFolder)
    await client.query('VACUUM ANALYZE')
    return {
      channels,
      people: cookies.map((cookie, position) => ({ cookie, channels: membership[position] ?? [] })),
      tokens,
    }
  } finally {
    await client.end()
  }
}

/** The first member becomes the owner: the operator can't own that many channels. */
async function moveIn(
  portal: PortalClient,
  client: Client,
  { id }: SeededChannel,
  members: readonly string[],
): Promise<void> {
  const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${id}/roles`)
  const role = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
  await insertMembers(client, { channelId: id }, role?.id ?? '', members)
  await portal.call('PUT', `/channels/${id}/owner`, { userId: members[0] })
}

async function createChannel(portal: PortalClient, position: number): Promise<SeededChannel> {
  const { id } = await portal.call<OwnChannel>('POST', '/channels', { name: `Quarter ${position}`, open: true })
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
  return Array.from({ length: count }, (_, position) => {
    const time = (start + position * 60_000).toString(16).padStart(12, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
  })
}

interface SeededBot {
  readonly id: string
  readonly key: string
}

/** The last of them have a webhook, the others a stream. */
async function createBots(portal: PortalClient): Promise<SeededBot[]> {
  const bots: SeededBot[] = []
  while (bots.length < BOTS + WEBHOOKS) {
    const { id } = await portal.call<Application>('POST', '/applications', { name: `Crane ${bots.length}` })
    await portal.call('PUT', `/applications/${id}/limits`, { requests: QUOTA, writes: QUOTA })
    const scopes = Object.keys(SCOPES)
    const { key } = await portal.call<{ key: string }>('PUT', `/applications/${id}/key`, { scopes })
    bots.push({ id, key })
  }
  return bots
}

/** Every bot is in one channel in ten. */
async function installBots(
  portal: PortalClient,
  channel: SeededChannel,
  bots: readonly SeededBot[],
  position: number,
): Promise<void> {
  for (const [index, { id }] of bots.entries()) {
    if (index % 10 === position % 10) await portal.call('PUT', `/channels/${channel.id}/applications/${id}`)
  }
}

async function tokensOf(bots: readonly SeededBot[], dataFolder: string): Promise<string[]> {
  const secret = await openSecret({ PORTICO_SECRET: null, PORTICO_DATA: dataFolder })
  const expiresAt = Math.floor(Date.now() / 1000) + 21_600
  return bots.map(({ id, key }) =>
    mintEventToken(secret, { applicationId: id, keyMark: markKey(hashSecret(key)), expiresAt }),
  )
}
