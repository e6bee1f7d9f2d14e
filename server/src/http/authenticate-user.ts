import type { UserScope } from '@portico/contract'
import { hashToken } from '../accounts/session-token.ts'
import type { User } from '../operations/actor.ts'
import { batchReads } from '../db/batch.ts'
import type { Services } from '../operations/services.ts'
import { markConsentUsed } from '../consents/consents.ts'
import { quotasOf } from '../quotas/quotas.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Counted } from './authenticate-bot.ts'

/** A website that acts for a person, with the quotas of its application. */
export type KnownUser = User & Counted

interface Row {
  tokenHash: Buffer
  id: string
  name: string
  avatar: string
  avatarVersion: number
  applicationId: string
  scopes: UserScope[]
  requestLimit: number | null
  writeLimit: number | null
  stale: boolean
}

/** A token needs its grant, the person's consent, the application's sign-in, and an owner who is not disabled. */
const READ = `
  SELECT t.id_hash AS "tokenHash", a.id, a.name, a.avatar, a.avatar_version AS "avatarVersion",
    p.id AS "applicationId", t.scopes,
    p.request_limit AS "requestLimit", p.write_limit AS "writeLimit",
    c.last_used_at IS NULL OR c.last_used_at < now() - interval '1 minute' AS stale
  FROM oauth_tokens t
  JOIN oauth_grants g ON g.id = t.grant_id
  JOIN consents c ON c.account_id = g.account_id AND c.application_id = g.application_id
  JOIN oauth_clients k ON k.application_id = g.application_id
  JOIN applications p ON p.id = g.application_id
  JOIN accounts o ON o.id = p.owner_id
  JOIN accounts a ON a.id = g.account_id
  WHERE t.id_hash = ANY ($1::bytea[]) AND t.kind = 'AccessToken' AND t.expires_at > now() AND g.expires_at > now()
    AND a.deleted_at IS NULL AND a.disabled_at IS NULL AND o.disabled_at IS NULL`

const readToken = batchReads<Row>(async (pool, keys) => {
  const hashes = keys.map((key) => Buffer.from(key, 'base64'))
  const { rows } = await pool.query<Row>({ name: 'authenticate_users', text: READ, values: [hashes] })
  return new Map(rows.map((row) => [row.tokenHash.toString('base64'), row]))
})

/** The person for whom a website acts with this `Authorization` header. Read each time: a withdrawn consent ends immediately. */
export async function authenticateUser(services: Services, authorization: string | undefined): Promise<KnownUser> {
  const hash = hashToken(tokenOf(authorization))
  const row = await readToken(services.database.pool, hash.toString('base64'))
  if (!row) throw notAccepted('The token is wrong or has expired, or the person has removed access.')
  if (row.stale)
    await markConsentUsed(services.database.kysely, { accountId: row.id, applicationId: row.applicationId })

  const { id, name, avatar, avatarVersion, applicationId, scopes } = row
  return { kind: 'user', id, name, avatar, avatarVersion, applicationId, scopes, quotas: quotasOf(applicationId, row) }
}

function tokenOf(authorization: string | undefined): string {
  if (authorization === undefined) throw notAccepted('Send the token: Authorization: Bearer <token>.')
  const [scheme = '', token = '', ...rest] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'bearer' || token === '' || rest.length > 0) {
    throw notAccepted('A user token is sent as Authorization: Bearer <token>; Bot is for keys.')
  }
  return token
}

function notAccepted(message: string): Refusal {
  return new Refusal('unauthorized', { message })
}
