import { LIMITS, type Scope } from '@portico/contract'
import { sql } from 'kysely'
import type { Bot } from '../actor.ts'
import { hashSecret, isWellFormedSecret, KEY_PREFIX } from '../applications/key.ts'
import { gathered } from '../db/gathered.ts'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'

/** A bot with the quotas that hold for its application. */
export interface KnownBot extends Bot {
  readonly limits: { readonly requests: number; readonly writes: number }
}

interface Row {
  keyHash: Buffer
  id: string
  name: string
  avatar: string
  avatarVersion: number
  applicationId: string
  scopes: Scope[]
  requestLimit: number | null
  writeLimit: number | null
  stale: boolean
}

const READ = `
  SELECT k.key_hash AS "keyHash", b.id, b.name, b.avatar, b.avatar_version AS "avatarVersion", p.id AS "applicationId", k.scopes,
    p.request_limit AS "requestLimit", p.write_limit AS "writeLimit",
    k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS stale
  FROM application_keys k
  JOIN applications p ON p.id = k.application_id
  JOIN accounts b ON b.id = p.bot_id
  WHERE k.key_hash = ANY ($1::bytea[])`

const readKey = gathered<Row>(async (pool, keys) => {
  const hashes = keys.map((key) => Buffer.from(key, 'base64'))
  const { rows } = await pool.query<Row>({ name: 'authenticate_bots', text: READ, values: [hashes] })
  return new Map(rows.map((row) => [row.keyHash.toString('base64'), row]))
})

/** Who speaks with this `Authorization` header. The key's row is read each time: a re-issued key is dead at once. */
export async function authenticateBot(parts: Parts, authorization: string | undefined): Promise<KnownBot> {
  const keyHash = hashSecret(keyOf(authorization))
  const row = await readKey(parts.database.pool, keyHash.toString('base64'))
  if (!row) throw notAccepted('The key is wrong, was re-issued or belongs to a deleted application.')
  if (row.stale) await touch(parts, keyHash)

  const { id, name, avatar, avatarVersion, applicationId, scopes } = row
  const limits = { requests: row.requestLimit ?? LIMITS.requestQuota, writes: row.writeLimit ?? LIMITS.writeQuota }
  return { kind: 'bot', id, name, avatar, avatarVersion, applicationId, keyHash, scopes, limits }
}

function keyOf(authorization: string | undefined): string {
  if (authorization === undefined) throw notAccepted('Send the key: Authorization: Bot <key>.')
  const [scheme = '', key = '', ...rest] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'bot' || rest.length > 0) {
    throw notAccepted('A key is sent as Authorization: Bot <key>; Bearer is for user tokens.')
  }
  if (!isWellFormedSecret(key, KEY_PREFIX)) throw notAccepted('This is not a key of this portal.')
  return key
}

async function touch({ database }: Parts, keyHash: Buffer): Promise<void> {
  await database.kysely
    .updateTable('application_keys')
    .set({ last_used_at: sql`now()` })
    .where('key_hash', '=', keyHash)
    .execute()
}

function notAccepted(message: string): Refusal {
  return new Refusal('unauthorized', { message })
}
