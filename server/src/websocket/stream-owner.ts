import { LIMITS } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Pool } from 'pg'
import { batchReads } from '../db/batch.ts'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import { markKey, type EventClaims } from './event-token.ts'
import { isConnected, SEEN_SECONDS } from '../events/is-connected.ts'
import { ERRORS, type ErrorReply } from '../events/stream-codes.ts'
import type { Progress, StreamKey } from './receiver.ts'

/** Takeovers per minute after which new connections wait: two supervised processes would replace each other forever. */
const MOST_TAKEOVERS = 10

export interface StreamClaim {
  readonly claims: EventClaims
  readonly client: string
  readonly address: string
}

export type Claimed = { readonly generation: number } | { readonly error: ErrorReply }

/**
 * Makes a connection the one that receives an application's events. The token of the previous one is revoked, unless it is
 * the same: then the client reconnected before its old socket was closed.
 */
export async function claimStream(db: Kysely<Tables>, { claims, client, address }: StreamClaim): Promise<Claimed> {
  const { applicationId, tokenId, kinds } = claims
  return db.transaction().execute(async (tx) => {
    await tx
      .insertInto('stream_owners')
      .values({
        application_id: applicationId,
        generation: 0,
        token_id: tokenId,
        client,
        address,
        disconnected_at: sql`now()`,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const before = await tx
      .selectFrom('stream_owners')
      .select(['generation', 'token_id', 'client', 'address', 'disconnected_at', 'takeovers'])
      .select(isConnected.as('connected'))
      .select(sql<boolean>`takeovers_since > now() - interval '1 minute'`.as('recent'))
      .where('application_id', '=', applicationId)
      .forUpdate()
      .executeTakeFirstOrThrow()

    const revoked = await tx
      .selectFrom('revoked_event_tokens')
      .select('token_id')
      .where('token_id', '=', tokenId)
      .executeTakeFirst()
    if (revoked) return { error: ERRORS.displaced }
    const displacing = before.disconnected_at === null && before.token_id !== tokenId
    const takeovers = (before.recent ? before.takeovers : 0) + (displacing ? 1 : 0)
    if (displacing && takeovers > MOST_TAKEOVERS) return { error: ERRORS.tooManyRequests }

    const generation = before.generation + 1
    await tx
      .updateTable('stream_owners')
      .set({
        generation,
        token_id: tokenId,
        client,
        address,
        kinds: kinds && [...kinds],
        connected_at: sql`now()`,
        disconnected_at: null,
        seen_at: sql`now()`,
        phase: 'idle',
        takeovers,
        ...(!before.recent && { takeovers_since: sql`now()` }),
        ...(displacing &&
          before.connected && {
            displaced_at: sql`now()`,
            displaced_client: before.client,
            displaced_address: before.address,
            displacer_client: client,
            displacer_address: address,
          }),
      })
      .where('application_id', '=', applicationId)
      .execute()
    if (displacing) {
      await tx
        .insertInto('revoked_event_tokens')
        .values({ token_id: before.token_id, expires_at: sql`now() + make_interval(secs => ${LIMITS.eventTokenLife})` })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    return { generation }
  })
}

/** Records the refreshed token of a connection: the one to revoke on a takeover. */
export async function noteToken(db: Kysely<Tables>, claims: EventClaims, generation: number): Promise<void> {
  await db
    .updateTable('stream_owners')
    .set({ token_id: claims.tokenId })
    .where('application_id', '=', claims.applicationId)
    .where('generation', '=', generation)
    .execute()
}

export async function releaseStream(
  db: Kysely<Tables>,
  { applicationId, generation }: StreamKey,
  { deliveredSeq }: Progress,
): Promise<void> {
  await db
    .updateTable('stream_owners')
    .set({ disconnected_at: sql`now()`, phase: 'idle', ...(deliveredSeq !== null && { delivered_seq: deliveredSeq }) })
    .where('application_id', '=', applicationId)
    .where('generation', '=', generation)
    .execute()
}

/** Records connections as alive, with their progress. */
export async function noteStreams(
  pool: Pool,
  streams: readonly { readonly key: StreamKey; readonly progress: Progress }[],
): Promise<void> {
  await pool.query({
    name: 'note_streams',
    text: `UPDATE stream_owners o SET seen_at = now(), phase = s.phase, delivered_seq = coalesce(s.delivered, o.delivered_seq)
      FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[]) AS s (application_id, generation, phase, delivered)
      WHERE o.application_id = s.application_id AND o.generation = s.generation`,
    values: [
      streams.map(({ key }) => key.applicationId),
      streams.map(({ key }) => key.generation),
      streams.map(({ progress }) => progress.phase),
      streams.map(({ progress }) => progress.deliveredSeq),
    ],
  })
}

/** Applications whose connection was lost within the last seconds: its process stopped sending heartbeats. */
export async function streamsLostWithin(pool: Pool, seconds: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ applicationId: string }>({
    name: 'streams_lost',
    text: `SELECT application_id AS "applicationId" FROM stream_owners
      WHERE disconnected_at IS NULL AND seen_at <= now() - make_interval(secs => ${SEEN_SECONDS})
        AND seen_at > now() - make_interval(secs => ${SEEN_SECONDS} + $1::int)`,
    values: [seconds],
  })
  return rows.map(({ applicationId }) => applicationId)
}

const readGeneration = batchReads<number>(async (pool, applicationIds) => {
  const { rows } = await pool.query<StreamKey>({
    name: 'stream_generations',
    text: `SELECT application_id AS "applicationId", generation FROM stream_owners
      WHERE application_id = ANY ($1::uuid[])`,
    values: [applicationIds],
  })
  return new Map(rows.map(({ applicationId, generation }) => [applicationId, generation]))
})

export async function isDisplaced(pool: Pool, { applicationId, generation }: StreamKey): Promise<boolean> {
  const newest = await readGeneration(pool, applicationId)
  return newest === undefined || newest > generation
}

interface KeyRow {
  applicationId: string
  botId: string
  keyHash: Buffer
  scopes: string[]
}

const readKey = batchReads<KeyRow>(async (pool, applicationIds) => {
  const { rows } = await pool.query<KeyRow>({
    name: 'keys_of_streams',
    text: `SELECT p.id AS "applicationId", p.bot_id AS "botId", k.key_hash AS "keyHash", k.scopes
      FROM applications p JOIN application_keys k ON k.application_id = p.id
      JOIN accounts o ON o.id = p.owner_id AND o.disabled_at IS NULL
      WHERE p.id = ANY ($1::uuid[])`,
    values: [applicationIds],
  })
  return new Map(rows.map((row) => [row.applicationId, row]))
})

/** The bot of a token whose key is still valid and has the scope. */
export async function botOfToken(pool: Pool, claims: EventClaims): Promise<{ botId: string } | undefined> {
  const row = await readKey(pool, claims.applicationId)
  if (!row || markKey(row.keyHash) !== claims.keyMark || !row.scopes.includes('events')) return undefined
  return { botId: row.botId }
}

export async function deleteExpiredTokens(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'revoked_event_tokens', sql`expires_at < now()`)
}
