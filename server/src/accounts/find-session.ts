import { LIMITS } from '@portico/contract'
import { batchReads } from '../db/batch.ts'
import type { Person } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { hashToken } from './session-token.ts'

/** A person, and when they last entered their password. */
export interface SignedInPerson extends Person {
  readonly signedInAt: string
}

interface Row extends Omit<SignedInPerson, 'kind'> {
  readonly hash: string
  /** Last use is stored to the minute, so that not every request is a write. */
  readonly stale: boolean
}

const READ = {
  name: 'sessions',
  text: `SELECT encode(s.token_hash, 'hex') AS hash, s.id AS "sessionId", s.created_at AS "signedInAt",
      s.last_used_at < now() - interval '1 minute' AS stale,
      a.id, a.name, a.is_administrator AS "isAdministrator", a.avatar, a.avatar_version AS "avatarVersion"
    FROM sessions s JOIN accounts a ON a.id = s.account_id
    WHERE s.token_hash = ANY ($1::bytea[]) AND s.last_used_at > now() - make_interval(secs => ${LIMITS.sessionLife})`,
}

const readSession = batchReads<Row>(async (pool, hashes) => {
  const { rows } = await pool.query<Row>({ ...READ, values: [hashes.map((hash) => Buffer.from(hash, 'hex'))] })
  return new Map(rows.map((row) => [row.hash, row]))
})

/** The person that this session token belongs to; undefined if it has ended. */
export async function findSession(
  { database: { pool }, sessionUses }: Pick<Services, 'database' | 'sessionUses'>,
  token: string,
): Promise<SignedInPerson | undefined> {
  const row = await readSession(pool, hashToken(token).toString('hex'))
  if (!row) return undefined
  const { hash: _, stale, ...person } = row
  if (stale) sessionUses.note(person.sessionId)
  return { kind: 'person', ...person }
}
