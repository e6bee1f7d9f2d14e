import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { hashToken, newToken } from '../../server/src/accounts/session-token.ts'
import type { Place } from './seed.ts'

export async function insertPeople(client: Client, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await client.query(
    `INSERT INTO accounts (id, kind, name, avatar, password_hash) SELECT id, 'person', 'Docker ' || n, id || '.svg', 'none'
    FROM unnest($1::uuid[]) WITH ORDINALITY AS people (id, n)`,
    [ids],
  )
  return ids
}

export async function insertMembers(
  client: Client,
  { channelId }: Pick<Place, 'channelId'>,
  roleId: string,
  ids: readonly string[],
): Promise<void> {
  await client.query(
    `INSERT INTO members (channel_id, account_id, role_id) SELECT $1, id, $2 FROM unnest($3::uuid[]) id`,
    [channelId, roleId, ids],
  )
}

/** Signs these people in. Gives their cookies. */
export async function insertSessions(client: Client, ids: readonly string[]): Promise<string[]> {
  const tokens = ids.map(() => newToken())
  await client.query(
    `INSERT INTO sessions (id, account_id, token_hash, device, address)
    SELECT gen_random_uuid(), id, hash, 'bench', '127.0.0.1' FROM unnest($1::uuid[], $2::bytea[]) AS made (id, hash)`,
    [ids, tokens.map(hashToken)],
  )
  return tokens.map((token) => `portico=${token}`)
}
