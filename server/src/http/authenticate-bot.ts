import type { Scope } from '@portico/contract'
import type { Pool } from 'pg'
import type { Bot } from '../operations/actor.ts'
import { markKeyUsed } from '../applications/issue-key.ts'
import { hashSecret, isWellFormedSecret, KEY_PREFIX } from '../secrets/generated-secret.ts'
import { batchReads } from '../db/batch.ts'
import {
  isCacheable,
  placeOf,
  type Caller,
  type Positioned,
  type PlaceInput,
  type PlaceRow,
} from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { quotasOf, type ApplicationQuotas } from '../quotas/quotas.ts'
import { Refusal } from '../operations/refusal.ts'

/** The quotas that a request counts against. */
export interface Counted {
  readonly quotas: ApplicationQuotas
}

/** A bot with the quotas of its application. */
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
  SELECT requested.position::int AS position, b.id, b.name, b.avatar, b.avatar_version AS "avatarVersion",
    p.id AS "applicationId", k.scopes, p.request_limit AS "requestLimit", p.write_limit AS "writeLimit",
    k.last_used_at IS NULL OR k.last_used_at < now() - interval '1 minute' AS stale`

const OF_BOT = `
  JOIN application_keys k ON k.key_hash = requested.key_hash
  JOIN applications p ON p.id = k.application_id
  JOIN accounts b ON b.id = p.bot_id
  JOIN accounts o ON o.id = p.owner_id AND o.disabled_at IS NULL`

/** For requests without a place: joining its tables would cost more than the key itself. */
const READ_KEYS = `${KEY} FROM unnest($1::bytea[]) WITH ORDINALITY AS requested (key_hash, position) ${OF_BOT}`

export const READ_KEYS_AND_PLACES = `${KEY}, CASE WHEN place."channelId" IS NOT NULL THEN to_json(place) END AS place
  FROM unnest($1::bytea[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS requested (key_hash, channel_id, room_id, position) ${OF_BOT}
  LEFT JOIN LATERAL (${placeOf('b.id')}) place ON true`

/** The bot of a key, and its permissions in the place of the request. */
interface Found {
  readonly bot: KnownBot
  readonly place: PlaceRow | undefined
  /** Whether `last_used_at` has to be updated. */
  readonly stale: boolean
}

type Requested = readonly [keyHash: string, channelId: string | null, roomId: string | null]

const readKey = batchReads<Found>(async (pool, keys) => {
  const hashes = keys.map((key) => Buffer.from(key, 'base64'))
  const { rows } = await pool.query<Row & Positioned>({ name: 'keys', text: READ_KEYS, values: [hashes] })
  return foundOf(rows, keys, hashes)
})

const readKeyAndPlace = batchReads<Found>(async (pool, keys) => {
  const requested = keys.map((key) => JSON.parse(key) as Requested)
  const hashes = requested.map(([hash]) => Buffer.from(hash, 'base64'))
  const values = [hashes, requested.map(([, channelId]) => channelId), requested.map(([, , roomId]) => roomId)]
  const { rows } = await pool.query<Row & Positioned>({ name: 'keys_and_places', text: READ_KEYS_AND_PLACES, values })
  return foundOf(rows, keys, hashes)
})

function foundOf(rows: (Row & Positioned)[], keys: readonly string[], hashes: readonly Buffer[]): Map<string, Found> {
  const found = new Map<string, Found>()
  for (const { position, place, stale, requestLimit, writeLimit, ...of } of rows) {
    const [key, keyHash] = [keys[position - 1], hashes[position - 1]]
    if (key === undefined || keyHash === undefined) continue
    const quotas = quotasOf(of.applicationId, { requestLimit, writeLimit })
    found.set(key, { bot: { kind: 'bot', ...of, keyHash, quotas }, place: place ?? undefined, stale })
  }
  return found
}

function isCacheableKey({ stale, place }: Found): boolean {
  return !stale && (!place || isCacheable(place))
}

export interface AuthenticatedBot extends Caller {
  readonly actor: KnownBot
  /** Of the access cache: while it is the same, key and permissions are unchanged. Undefined: they may change unnoticed. */
  readonly generation: object | undefined
}

/**
 * The bot of an `Authorization` header, and its permissions in the place of the request: read in one statement, or from the
 * access cache. Either way, a re-issued key or a revoked right is refused immediately.
 */
export async function authenticateBot(
  services: Services,
  authorization: string | undefined,
  at: PlaceInput = {},
): Promise<AuthenticatedBot> {
  const { pool, accessCache, kysely } = services.database
  // Before anything is read, so that a change during the read counts as a change after it.
  const { generation } = accessCache
  // The cache key is the raw header, which can't contain a line break: hashing the key takes longer than the lookup.
  const where =
    at.channelId === undefined && at.roomId === undefined ? '' : `\n${at.channelId ?? ''} ${at.roomId ?? ''}`
  const load = () => find(pool, keyOf(authorization), at)
  const cached = accessCache.getOrLoad(authenticateBot, `${authorization}${where}`, load, isCacheableKey)
  const known = cached instanceof Promise ? await cached : cached
  if (!known)
    throw notAccepted('The key is wrong or was re-issued, or the application or its owner is deleted or disabled.')
  if (known.stale) await markKeyUsed(kysely, known.bot.keyHash)
  return { actor: known.bot, lookAhead: { at, row: known.place }, generation }
}

async function find(pool: Pool, key: string, { channelId, roomId }: PlaceInput): Promise<Found | undefined> {
  const hash = hashSecret(key).toString('base64')
  if (channelId === undefined && roomId === undefined) return readKey(pool, hash)
  const requested: Requested = [hash, channelId ?? null, roomId ?? null]
  return readKeyAndPlace(pool, JSON.stringify(requested))
}

function keyOf(authorization: string | undefined): string {
  if (authorization === undefined) throw notAccepted('Send the key: Authorization: Bot <key>.')
  const [scheme = '', key = '', ...rest] = authorization.split(' ')
  if (scheme.toLowerCase() !== 'bot' || rest.length > 0) {
    throw notAccepted('A key is sent as Authorization: Bot <key>; Bearer is for user tokens.')
  }
  if (!isWellFormedSecret(key, KEY_PREFIX)) throw notAccepted('This isn’t a key of this portal.')
  return key
}

function notAccepted(message: string): Refusal {
  return new Refusal('unauthorized', { message })
}
