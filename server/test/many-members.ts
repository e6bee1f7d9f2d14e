import { queryDatabaseOf } from './query-database.ts'
import type { TestServer } from './start-server.ts'

/**
 * Adds members to a channel who never sign in, and returns their ids in the order of pages. Uses a separate connection,
 * because on a busy machine this may exceed the server's statement timeout.
 */
export async function manyMembers(server: TestServer, channelId: string, count: number): Promise<string[]> {
  const rows = await queryDatabaseOf(
    server,
    `WITH people AS (
      INSERT INTO accounts (id, kind, name, avatar, password_hash)
      SELECT gen_random_uuid(), 'person', 'One of many ' || gen_random_uuid(), 'x.svg', 'none' FROM generate_series(1, ${count})
      RETURNING id
    )
    INSERT INTO members (channel_id, account_id, role_id)
    SELECT r.channel_id, people.id, r.id FROM people, roles r
    WHERE r.channel_id = '${channelId}' AND r.system_name = 'CHANNEL_MEMBER' RETURNING account_id`,
  )
  return rows.map(({ account_id }) => String(account_id)).toSorted()
}
