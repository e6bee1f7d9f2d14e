import { LIMITS, type Scope } from '@portico/contract'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Bot } from '../actor.ts'
import { hashSecret, isWellFormedSecret, KEY_PREFIX } from '../applications/key.ts'
import { gathered } from '../db/gathered.ts'
import { placeOf, type ForeseenPlace, type Nth, type PlaceInput, type PlaceRow } from '../members/access.ts'
import type { Parts } from '../parts.ts'
import { Refusal } from '../refusal.ts'

/** The quotas that a request counts against. */
export interface Counted {
  readonly limits: { readonly requests: number; readonly writes: number }
}

/** A bot with the quotas that hold for its application. */
export type KnownBot = Bot & Counted

interface Row {
  id: string
  name: string
  avatar: string
  avatarVersion: number
  applicationId: string
  scopes: Scope[]
  requestLimit: number | null
  writeLimit: number | null
  stale: boolean
  place?: PlaceRow | null
}

const KEY = `
  SELECT asked.nth::int AS nth, b.id, b.name, b.avatar, b.avatar_version AS "avatarVersion",
    p.id AS "applicationId", k.scopes, p.request_limit AS "requestLimit", p.write_limit AS "writeLimit",
    k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS stale`

const OF_BOT = `
  JOIN application_keys k ON k.key_hash = asked.key_hash
  JOIN applications p ON p.id = k.application_id
  JOIN accounts b ON b.id = p.bot_id`

/** Where a request acts nowhere, the tables of places would cost more than the key, found or not. */
const READ_KEYS = `${KEY} FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (key_hash, nth) ${OF_BOT}`

const READ_KEYS_AND_PLACES = `${KEY}, CASE WHEN place."channelId" IS NOT NULL THEN to_json(place) END AS place
  FROM unnest($1::bytea[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS asked (key_hash, channel_id, room_id, nth) ${OF_BOT}
  LEFT JOIN LATERAL (${placeOf('b.id')}) place ON true`

type Asked = readonly [keyHash: string, channelId: string | null, roomId: string | null]

const readKey = gathered<Row>(async (pool, hashes) => {
  const values = [hashes.map((hash) => Buffer.from(hash, 'base64'))]
  const { rows } = await pool.query<Row & Nth>({ name: 'keys', text: READ_KEYS, values })
  return new Map(rows.map((row) => [hashes[row.nth - 1] ?? '', row]))
})

const readKeyAndPlace = gathered<Row>(async (pool, keys) => {
  const asked = keys.map((key) => JSON.parse(key) as Asked)
  const hashes = asked.map(([hash]) => Buffer.from(hash, 'base64'))
  const values = [hashes, asked.map(([, channelId]) => channelId), asked.map(([, , roomId]) => roomId)]
  const { rows } = await pool.query<Row & Nth>({ name: 'keys_and_places', text: READ_KEYS_AND_PLACES, values })
  return new Map(rows.map((row) => [keys[row.nth - 1] ?? '', row]))
})

/**
 * Who speaks with this `Authorization` header, and how they stand where they are about to act. Read each time, in one
 * statement: a re-issued key is dead at once, and so is a right that was taken away.
 */
export async function authenticateBot(
  parts: Parts,
  authorization: string | undefined,
  at: PlaceInput = {},
): Promise<{ bot: KnownBot; place: ForeseenPlace }> {
  const keyHash = hashSecret(keyOf(authorization))
  const row = await readAt(parts.database.pool, keyHash.toString('base64'), at)
  if (!row) throw notAccepted('The key is wrong, was re-issued or belongs to a deleted application.')
  if (row.stale) await touch(parts, keyHash)

  const { id, name, avatar, avatarVersion, applicationId, scopes } = row
  const limits = { requests: row.requestLimit ?? LIMITS.requestQuota, writes: row.writeLimit ?? LIMITS.writeQuota }
  const bot: KnownBot = { kind: 'bot', id, name, avatar, avatarVersion, applicationId, keyHash, scopes, limits }
  return { bot, place: { at, row: row.place ?? undefined } }
}

function readAt(pool: Pool, hash: string, { channelId, roomId }: PlaceInput): Promise<Row | undefined> {
  if (channelId === undefined && roomId === undefined) return readKey(pool, hash)
  const asked: Asked = [hash, channelId ?? null, roomId ?? null]
  return readKeyAndPlace(pool, JSON.stringify(asked))
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
