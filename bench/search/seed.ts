import type { OwnChannel, Room } from '@portico/contract'
import { Client } from 'pg'
import { findRunning } from '../../server/src/db/embedded/find-running.ts'
import { PortalClient } from '../api/portal-client.ts'
import type { Portico } from '../api/start-portico.ts'

export interface Seeded {
  readonly portal: PortalClient
  readonly channelId: string
  /** From the one with the most messages to the one with the fewest. */
  readonly roomIds: readonly string[]
  readonly authorIds: readonly string[]
}

const ROOMS = 100
const AUTHORS = 1000
export const VOCABULARY = 50_000

/**
 * One channel with so many messages of ten words each, spread over the last two years. Words, rooms and authors are as
 * unequal as in life: of rank n, each comes up in proportion to 1/n.
 */
export async function seed({ port, setUpCode, dataFolder }: Portico, messages: number): Promise<Seeded> {
  const portal = new PortalClient(port)
  await portal.call('POST', '/set-up', { code: setUpCode, name: 'Operator', password: 'correct horse battery' })
  const { id: channelId } = await portal.call<OwnChannel>('POST', '/channels', { name: 'Harbour' })
  const roomIds: string[] = []
  while (roomIds.length < ROOMS) {
    const room = { name: `room ${roomIds.length + 1}`, type: 'text' }
    roomIds.push((await portal.call<Room>('POST', `/channels/${channelId}/rooms`, room)).id)
  }

  const running = await findRunning(dataFolder)
  if (!running) throw new Error('the database of the portal is not running')
  const client = new Client({ ...running, ssl: false })
  await client.connect()
  try {
    const authorIds = await insertAuthors(client)
    const { rows } = await client.query<{ build: string }>(
      `SELECT pg_get_indexdef('messages_search'::regclass) AS build`,
    )
    await client.query(`DROP INDEX messages_search`)
    await client.query(`ALTER TABLE messages DISABLE TRIGGER USER`)
    await client.query(INSERT, [messages, channelId, roomIds, authorIds])
    await client.query(`ALTER TABLE messages ENABLE TRIGGER USER`)
    await client.query(`SET maintenance_work_mem = '512MB'`)
    await client.query(rows[0]?.build ?? '')
    await client.query('VACUUM ANALYZE')
    return { portal, channelId, roomIds, authorIds }
  } finally {
    await client.end()
  }
}

async function insertAuthors(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(`
    INSERT INTO accounts (id, kind, name, avatar, password_hash)
    SELECT gen_random_uuid(), 'person', 'Author ' || n, 'x.svg', 'none' FROM generate_series(1, ${AUTHORS}) n RETURNING id`)
  return rows.map(({ id }) => id)
}

/** A rank below `most`, with a probability in proportion to 1/rank. */
const rank = (most: number): string => `floor(exp(random() * ln(${most})))::int`
const WORDS = Array.from({ length: 10 }, () => rank(VOCABULARY)).join(', ')

const INSERT = `
  INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at)
  SELECT overlay(gen_random_uuid()::text PLACING to_hex_time || '-7' FROM 1 FOR 15)::uuid, $2::uuid,
    ($3::uuid[])[${rank(ROOMS)}], ($4::uuid[])[${rank(AUTHORS)}],
    translate(concat_ws(' ', ${WORDS}), '0123456789', 'ktmrlbsdnp'), to_timestamp(ms / 1000.0)
  FROM (
    SELECT ms, substr(hex, 1, 8) || '-' || substr(hex, 9) AS to_hex_time FROM (
      SELECT ms, lpad(to_hex(ms), 12, '0') AS hex FROM (
        SELECT (extract(epoch FROM now()) * 1000 - (1 - n / $1::float8) * 63072000000)::bigint AS ms
        FROM generate_series(1, $1::int) n
      ) times
    ) hexes
  ) ids`

/** The word of a rank, of letters that no dictionary knows. */
export function wordOf(rank: number): string {
  return [...String(rank)].map((digit) => 'ktmrlbsdnp'[Number(digit)]).join('')
}
