import { LIMITS } from '@portico/contract'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { markOf, type EventClaims } from './event-token.ts'
import { ERRORS, type ErrorReply } from './protocol.ts'

/** Takeovers in a minute after which newcomers wait: two processes under supervisors would throw each other out. */
const MOST_TAKEOVERS = 10

export interface Newcomer {
  readonly claims: EventClaims
  readonly client: string
  readonly address: string
}

export type Claimed = { readonly generation: number } | { readonly error: ErrorReply }

/**
 * Makes a connection the one that receives an application's events. The token of the one before is burnt, unless it is
 * the same: then a client came back before its old socket was known to be gone.
 */
export async function claimStream(db: Kysely<Tables>, { claims, client, address }: Newcomer): Promise<Claimed> {
  const { applicationId, tokenId } = claims
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
      .select(['generation', 'token_id', 'address', 'disconnected_at', 'takeovers'])
      .select(sql<boolean>`takeovers_since > now() - interval '1 minute'`.as('recent'))
      .where('application_id', '=', applicationId)
      .forUpdate()
      .executeTakeFirstOrThrow()

    const burnt = await tx
      .selectFrom('burnt_tokens')
      .select('token_id')
      .where('token_id', '=', tokenId)
      .executeTakeFirst()
    if (burnt) return { error: ERRORS.displaced }
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
        connected_at: sql`now()`,
        disconnected_at: null,
        takeovers,
        ...(!before.recent && { takeovers_since: sql`now()` }),
        ...(displacing && { displaced_address: before.address, displaced_at: sql`now()` }),
      })
      .where('application_id', '=', applicationId)
      .execute()
    if (displacing) {
      await tx
        .insertInto('burnt_tokens')
        .values({ token_id: before.token_id, expires_at: sql`now() + make_interval(secs => ${LIMITS.eventTokenLife})` })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    }
    return { generation }
  })
}

/** The token that a connection goes on with: the one to burn when it is displaced. */
export async function noteToken(db: Kysely<Tables>, claims: EventClaims, generation: number): Promise<void> {
  await db
    .updateTable('stream_owners')
    .set({ token_id: claims.tokenId })
    .where('application_id', '=', claims.applicationId)
    .where('generation', '=', generation)
    .execute()
}

export async function releaseStream(db: Kysely<Tables>, applicationId: string, generation: number): Promise<void> {
  await db
    .updateTable('stream_owners')
    .set({ disconnected_at: sql`now()` })
    .where('application_id', '=', applicationId)
    .where('generation', '=', generation)
    .execute()
}

export async function isDisplaced(db: Kysely<Tables>, applicationId: string, generation: number): Promise<boolean> {
  const owner = await db
    .selectFrom('stream_owners')
    .select('generation')
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  return owner === undefined || owner.generation > generation
}

/** The bot of a token whose key is still the application's and still opens the stream. */
export async function botOfToken(db: Kysely<Tables>, claims: EventClaims): Promise<{ botId: string } | undefined> {
  const row = await db
    .selectFrom('applications as p')
    .innerJoin('application_keys as k', 'k.application_id', 'p.id')
    .select(['p.bot_id as botId', 'k.key_hash as keyHash', 'k.scopes'])
    .where('p.id', '=', claims.applicationId)
    .executeTakeFirst()
  if (!row || markOf(row.keyHash) !== claims.keyMark || !row.scopes.includes('events')) return undefined
  return { botId: row.botId }
}
