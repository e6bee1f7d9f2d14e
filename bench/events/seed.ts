import { randomUUID } from 'node:crypto'
import { SCOPES, type Application, type OwnChannel, type Role, type Room } from '@portico/contract'
import type { Client } from 'pg'
import { hashSecret, KEY_PREFIX, newSecret } from '../../server/src/secrets/generated-secret.ts'
import { openSecret } from '../../server/src/secrets/secret.ts'
import { markKey, mintEventToken } from '../../server/src/websocket/event-token.ts'
import { PortalClient } from '../api/portal-client.ts'
import { insertMembers, insertPeople, insertSessions } from '../api/people.ts'
import { connectTo, type Place } from '../api/seed.ts'
import type { Portico } from '../api/start-portico.ts'

export interface Seeded {
  readonly key: string
  readonly bot: { readonly id: string; readonly name: string }
  /** A room whose channel has the applications as members, one with the people, and one with ten members in all. */
  readonly bots: Place
  readonly people: Place
  readonly few: Place
  /** Further rooms of the applications' channel. */
  readonly rooms: readonly string[]
  /** The credentials of each application's stream and each person's portal. */
  readonly tokens: readonly string[]
  readonly cookies: readonly string[]
  /** The keys of the applications. */
  readonly keys: readonly string[]
}

export const RECEIVERS = 2000
const PEOPLE = 9998
const FEW = 8
const ROOMS = 16

/** An application that sends, as many that receive, and people with the portal open. */
export async function seed({ port, setUpCode, dataFolder }: Portico): Promise<Seeded> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const application = await portal.call<Application>('POST', '/applications', { name: 'Harbour master' })
  const most = 1_000_000
  await portal.call('PUT', `/applications/${application.id}/limits`, { requests: most, writes: most })
  const scopes = Object.keys(SCOPES)
  const { key } = await portal.call<{ key: string }>('PUT', `/applications/${application.id}/key`, { scopes })

  const newRoom = async (channelId: string): Promise<string> =>
    (await portal.call<Room>('POST', `/channels/${channelId}/rooms`, { name: 'quay', type: 'text' })).id
  const place = async (name: string): Promise<Place> => {
    const { id: channelId } = await portal.call<OwnChannel>('POST', '/channels', { name, open: true })
    await portal.call('PUT', `/channels/${channelId}/applications/${application.id}`)
    return { channelId, roomId: await newRoom(channelId) }
  }
  const roleOf = async ({ channelId }: Place, systemName: string): Promise<string> => {
    const { roles } = await portal.call<{ roles: Role[] }>('GET', `/channels/${channelId}/roles`)
    return roles.find((role) => role.systemName === systemName)?.id ?? ''
  }
  const [bots, people, few] = [await place('Bots'), await place('Town'), await place('Hamlet')]

  const rooms: string[] = []
  while (rooms.length < ROOMS) rooms.push(await newRoom(bots.channelId))

  const client = await connectTo(dataFolder)
  try {
    const receivers = await insertApplications(client, bots, await roleOf(bots, 'CHANNEL_BOT'), scopes)
    const ids = await insertPeople(client, PEOPLE)
    await insertMembers(client, people, await roleOf(people, 'CHANNEL_MEMBER'), ids)
    await insertMembers(client, few, await roleOf(few, 'CHANNEL_MEMBER'), ids.slice(0, FEW))
    const cookies = await insertSessions(client, ids.slice(0, RECEIVERS))
    await client.query('VACUUM ANALYZE')
    const secret = await openSecret({ PORTICO_SECRET: null, PORTICO_DATA: dataFolder })
    const expiresAt = Math.floor(Date.now() / 1000) + 21_600
    const tokens = receivers.map(({ id, key: own }) =>
      mintEventToken(secret, { applicationId: id, keyMark: markKey(hashSecret(own)), expiresAt }),
    )
    const { id, name } = application.bot
    return { key, bot: { id, name }, bots, people, few, rooms, tokens, cookies, keys: receivers.map((one) => one.key) }
  } finally {
    await client.end()
  }
}

async function insertApplications(client: Client, { channelId }: Place, roleId: string, scopes: readonly string[]) {
  const made = Array.from({ length: RECEIVERS }, () => ({
    id: randomUUID(),
    botId: randomUUID(),
    key: newSecret(KEY_PREFIX),
  }))
  const botIds = made.map(({ botId }) => botId)
  await client.query(
    `INSERT INTO accounts (id, kind, name, avatar) SELECT id, 'bot', 'Crane ' || n, id || '.svg'
    FROM unnest($1::uuid[]) WITH ORDINALITY AS bots (id, n)`,
    [botIds],
  )
  await client.query(
    `INSERT INTO applications (id, name, owner_id, bot_id)
    SELECT id, 'Crane ' || n, (SELECT owner_id FROM channels WHERE id = $3), bot_id
    FROM unnest($1::uuid[], $2::uuid[]) WITH ORDINALITY AS made (id, bot_id, n)`,
    [made.map(({ id }) => id), botIds, channelId],
  )
  await client.query(
    `INSERT INTO application_keys (application_id, key_hash, hint, scopes)
    SELECT id, hash, 'none', $3 FROM unnest($1::uuid[], $2::bytea[]) AS made (id, hash)`,
    [made.map(({ id }) => id), made.map(({ key }) => hashSecret(key)), scopes],
  )
  await client.query(
    `INSERT INTO members (channel_id, account_id, role_id, is_bot) SELECT $1, id, $2, true FROM unnest($3::uuid[]) id`,
    [channelId, roleId, botIds],
  )
  await client.query(
    `INSERT INTO installations (bot_id, channel_id, from_seq) SELECT id, $1, 0 FROM unnest($2::uuid[]) id`,
    [channelId, botIds],
  )
  return made
}
