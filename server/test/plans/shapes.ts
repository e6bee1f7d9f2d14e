import { queryDatabaseOf } from '../query-database.ts'
import type { TestServer } from '../start-server.ts'

/** How many messages, events and deliveries a shape has, and how many of them are in the quiet room. */
const MESSAGES = 10_000
const QUIET = 600
/** When the last message was sent: the same for all shapes, so that they have the same ids. */
const END = new Date().toISOString()

export interface Shape {
  /** Rooms with messages. */
  readonly rooms: number
  /** Whether they were busy at the same time, or one after the other. */
  readonly times: 'overlapping' | 'separate'
}

export interface Place {
  readonly channelId: string
  readonly roomId: string
}

/** Who and what the rows belong to. */
export interface World {
  readonly server: TestServer
  /** A channel in which nothing has happened since the others were created. */
  readonly quiet: Place
  /** The channel with the other rooms. */
  readonly busyChannelId: string
  /** The largest first. */
  readonly busyRoomIds: readonly string[]
  readonly personId: string
  readonly quietApplicationId: string
  readonly busyApplicationId: string
}

const FILLED = ['messages', 'events', 'deliveries', 'audit_log', 'reactions', 'mentions', 'member_rooms', 'invitations']

/** The ids of as many new rooms. */
export async function insertRooms(server: TestServer, channelId: string, count: number): Promise<string[]> {
  const rows = await queryDatabaseOf(
    server,
    `INSERT INTO rooms (id, channel_id, type, name, sort)
    SELECT gen_random_uuid(), '${channelId}', 'text', 'busy', n + 100 FROM generate_series(1, ${count}) n RETURNING id`,
  )
  return rows.map(({ id }) => String(id))
}

/** From now on statistics change only where a test says so. */
export async function stopAutovacuum({ server }: World): Promise<void> {
  for (const table of [...FILLED, 'accounts', 'members', 'rooms', 'message_files']) {
    await queryDatabaseOf(server, `ALTER TABLE ${table} SET (autovacuum_enabled = false)`)
  }
}

/** Replaces all messages and what belongs to them. Statistics stay those of the shape before. */
export async function fill(world: World, { rooms, times }: Shape): Promise<void> {
  const { server, quiet, busyChannelId, busyRoomIds, personId, quietApplicationId, busyApplicationId } = world
  const at = `'${END}'::timestamptz - make_interval(mins => ${MESSAGES} - n)`
  // The rank of a room is as likely as 1/rank: the largest has a fifth to a half of all messages.
  const rank = times === 'separate' ? `(n - ${QUIET}) / ${MESSAGES - QUIET}.0` : `abs(hashint4(n)) / 2147483648.0`
  await queryDatabaseOf(
    server,
    `TRUNCATE ${FILLED.join(', ')} CASCADE;
    DROP INDEX messages_search;
    SET session_replication_role = replica;
    CREATE TEMPORARY TABLE filled AS
      SELECT n, ${at} AS at, r.room_id, r.channel_id,
        overlay(first_id_at(${at})::text PLACING lpad(to_hex(n), 12, '0') FROM 25)::uuid AS id
      FROM generate_series(1, ${MESSAGES}) n
      CROSS JOIN LATERAL (
        SELECT '${quiet.roomId}'::uuid, '${quiet.channelId}'::uuid WHERE n <= ${QUIET}
        UNION ALL
        SELECT ('{${busyRoomIds.join()}}'::uuid[])[floor(power(${rooms - 1}, ${rank}))::int], '${busyChannelId}' WHERE n > ${QUIET}
      ) r (room_id, channel_id);
    INSERT INTO messages (id, channel_id, room_id, author_id, text, created_at, pinned_at, mentioned_groups)
      SELECT f.id, f.channel_id, f.room_id, a.id, 'harbour crate ' || n, at,
        CASE WHEN n % 1000 = 0 THEN at END, CASE WHEN n % 500 = 0 THEN '{everyone}'::text[] END
      FROM filled f JOIN (SELECT id, row_number() OVER (ORDER BY id) AS position, count(*) OVER () AS of FROM accounts) a
        ON a.position = 1 + n % a.of;
    INSERT INTO events (channel_id, room_id, event, audience, body, created_at)
      SELECT channel_id, room_id, 'message.created', 'bots', '{"event":"message.created","data":{"message":{"id":"' || id || '"}}}' || repeat(' ', 500), at
      FROM filled;
    INSERT INTO deliveries (id, application_id, seq, event, body, state, created_at)
      SELECT id, CASE WHEN n <= ${QUIET} THEN '${quietApplicationId}' ELSE '${busyApplicationId}' END::uuid, n,
        'message.created', repeat(' ', 300), 'delivered', at FROM filled;
    INSERT INTO audit_log (id, channel_id, action, created_at)
      SELECT id, channel_id, 'message.pinned', at FROM filled WHERE n <= ${QUIET} OR n % 4 = 0;
    INSERT INTO invitations (id, channel_id, code, created_at) SELECT id, channel_id, id::text, at FROM filled WHERE n % 100 = 0;
    INSERT INTO reactions (message_id, emoji, account_id)
      SELECT id, '👍', '${personId}' FROM filled WHERE n % 3 = 0;
    INSERT INTO mentions (account_id, room_id, message_id, channel_id)
      SELECT '${personId}', room_id, id, channel_id FROM filled WHERE n % 100 = 0;
    INSERT INTO member_rooms (account_id, room_id, channel_id, read_up_to)
      SELECT m.account_id, o.id, o.channel_id, '00000000-0000-7000-8000-000000000000'
      FROM members m JOIN rooms o ON o.channel_id = m.channel_id WHERE o.name <> 'busy' OR m.account_id = '${personId}';
    DROP TABLE filled;
    RESET session_replication_role;
    ${CREATE_SEARCH}`,
  )
}

/** The planner learns of the shape. */
export async function analyze({ server }: World): Promise<void> {
  await queryDatabaseOf(server, `ANALYZE ${[...FILLED, 'accounts', 'members', 'rooms'].join(', ')}`)
}

const CREATE_SEARCH = `CREATE INDEX messages_search ON messages USING gin (search_keys(id, channel_id, room_id, author_id, text))
  WITH (gin_pending_list_limit = 512) WHERE deleted_at IS NULL`
