import { SCOPES, type Application, type OwnChannel, type Role, type Room } from '@portico/contract'
import { Client } from 'pg'
import { findRunning } from '../../server/src/db/embedded/find-running.ts'
import { PortalClient } from './portal-client.ts'
import type { Portico } from './start-portico.ts'

export interface Place {
  readonly channelId: string
  readonly roomId: string
}

export interface Seeded {
  readonly key: string
  readonly bot: { readonly id: string; readonly name: string }
  readonly small: SeededChannel
  readonly large: SeededChannel
  /** Two rooms of the large channel, by the number of their messages. */
  readonly thousand: Place
  /** A room with 1,000 messages, all of which are older than those of every other room. */
  readonly quiet: Place
  readonly million: Place
}

export interface SeededChannel {
  readonly id: string
  /** Rooms of 1,000 messages for sends in turn: one alone would soon be a large one. */
  readonly newRooms: readonly Place[]
  readonly hundredThousand: Place
}

const NEW_ROOMS = 16
const HIGHEST_QUOTA = 1_000_000

/** Members, including the owner and the bot. */
export const MEMBERS = { small: 10, large: 10_000 }

/** The measured data: small amounts are created through the API, large ones with SQL. */
export async function seed({ port, setUpCode, dataFolder }: Portico): Promise<Seeded> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: applicationId, bot } = await portal.call<Application>('POST', '/applications', { name: 'Shipyard' })
  const limits = { requests: HIGHEST_QUOTA, writes: HIGHEST_QUOTA }
  await portal.call('PUT', `/applications/${applicationId}/limits`, limits)
  const scopes = Object.keys(SCOPES)
  const { key } = await portal.call<{ key: string }>('PUT', `/applications/${applicationId}/key`, { scopes })

  const client = await connectTo(dataFolder)
  try {
    await insertPeople(client, MEMBERS.large - 2)
    const buildSearch = await dropSearch(client)
    const channel = async (name: string, members: number): Promise<SeededChannel> => {
      const id = await insertChannel(portal, client, { applicationId, name, members })
      const newRooms: Place[] = []
      while (newRooms.length < NEW_ROOMS) newRooms.push(await insertRoom(portal, client, id, 1_000))
      return { id, newRooms, hundredThousand: await insertRoom(portal, client, id, 100_000) }
    }
    const small = await channel('Harbour office', MEMBERS.small)
    const large = await channel('Harbour', MEMBERS.large)
    const thousand = await insertRoom(portal, client, large.id, 1_000)
    const million = await insertRoom(portal, client, large.id, 1_000_000)
    const quiet = await insertRoom(portal, client, large.id, 1_000, { name: 'quay of old', endedDaysAgo: 365 })
    await buildSearch()
    // As autovacuum would leave it, and with nothing left to write in the background.
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
    return { key, bot, small, large, thousand, million, quiet }
  } finally {
    await client.end()
  }
}

/** A million messages are indexed for search in seconds afterwards, and in minutes one by one. */
async function dropSearch(client: Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE tablename = 'messages' AND indexdef LIKE '% USING gin %'`,
  )
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`)
  return async () => {
    for (const { definition } of rows) await client.query(definition)
  }
}

/** The database of the measured server. */
export async function connectTo(dataFolder: string): Promise<Client> {
  const connection = await findRunning(dataFolder)
  if (!connection) throw new Error('the database of the measured server is not there')
  const client = new Client({ ...connection })
  // The failed query reports it; without a listener, the event would end the program before it cleans up.
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function insertPeople(client: Client, count: number): Promise<void> {
  await client.query(
    `INSERT INTO accounts (id, kind, name, avatar, password_hash)
    SELECT id, 'person', 'Docker ' || n, id || '.svg', 'none'
    FROM (SELECT n, gen_random_uuid() AS id FROM generate_series(1, $1::int) n) people`,
    [count],
  )
}

export async function insertChannel(
  portal: PortalClient,
  client: Client,
  { applicationId, name, members }: { applicationId: string; name: string; members: number },
): Promise<string> {
  const { id } = await portal.call<OwnChannel>('POST', '/channels', { name, open: true })
  await portal.call('PUT', `/channels/${id}/applications/${applicationId}`)
  const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${id}/roles`)
  const role = roles.find(({ systemName }) => systemName === 'CHANNEL_MEMBER')
  await client.query(
    `INSERT INTO members (channel_id, account_id, role_id)
    SELECT $1, id, $2 FROM accounts WHERE kind = 'person' AND NOT is_administrator ORDER BY id LIMIT $3`,
    [id, role?.id, members - 2],
  )
  return id
}

export async function insertRoom(
  portal: PortalClient,
  client: Client,
  channelId: string,
  messages: number,
  { name = `quay ${messages}`, endedDaysAgo = 0 } = {},
): Promise<Place> {
  const { id } = await portal.call<Room>('POST', `/channels/${channelId}/rooms`, { name, type: 'text' })
  const place = { channelId, roomId: id }
  await insertMessages(client, place, messages, endedDaysAgo)
  return place
}

/** Ten seconds between messages, ids in the order of time as the program makes them, authors from the whole channel. */
async function insertMessages(
  client: Client,
  { channelId, roomId }: Place,
  count: number,
  endedDaysAgo: number,
): Promise<void> {
  // No need to check a million times that author and room exist.
  await client.query('SET session_replication_role = replica')
  await client.query(
    `INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
    SELECT
      (lpad(to_hex((extract(epoch FROM t.at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
        || '8' || substr(md5(random()::text), 1, 15))::uuid,
      $1, $2, authors.ids[1 + n % cardinality(authors.ids)],
      'Crate ' || n || ' is unloaded and stands on the quay, **ready** to be fetched by its owner.', t.at
    FROM generate_series(1, $3::int) n
    CROSS JOIN LATERAL (SELECT date_trunc('milliseconds', now()) - make_interval(days => $4, secs => ($3 - n) * 10) AS at) t
    CROSS JOIN (SELECT array_agg(account_id) AS ids FROM members WHERE channel_id = $1) authors`,
    [channelId, roomId, count, endedDaysAgo],
  )
  await client.query('RESET session_replication_role')
}
