import type { Pool } from 'pg'
import { READER_EVENTS_SQL } from '../events/reader-events.ts'
import { wantsKind, wantsKindSql, type WantedKinds } from '../events/wanted-kinds.ts'
import { CLOSES, type Close } from '../events/stream-codes.ts'
import type { EventClaims } from './event-token.ts'
import { findPageEnd, PAGE, type Progress, type Receiver, type StreamKey, type MembershipRange } from './receiver.ts'

/** The most missed events that a bot can recover. */
const MOST_MISSED = 10_000

export const BOT_CHANNEL = 'events'

/**
 * An application's events: of its channels while it was installed, not its own, and only what it could read then. At most a
 * number from each installation, by one index scan: otherwise the events of all other channels might be read as well.
 */
const itsEvents = (most: number): string => `
  FROM installations i CROSS JOIN LATERAL (
    SELECT * FROM events
    WHERE channel_id = ANY (ARRAY[i.channel_id])
      AND seq > greatest(i.from_seq, $2::bigint) AND seq <= least(coalesce(i.to_seq, $3::bigint), $3::bigint)
      AND ${wantsKindSql('$4::text[]')} AND actor_id IS DISTINCT FROM $1::uuid
      AND (bot_readers IS NULL OR $1::uuid = ANY (bot_readers))
    ORDER BY channel_id, seq LIMIT ${most}
  ) e WHERE i.bot_id = $1::uuid`

/** A page of events. Those that the bot can no longer read have no body. */
const READ = {
  name: 'bot_events',
  text: `
    WITH page AS MATERIALIZED (
      SELECT e.seq, event_body_for($1::uuid, e.body, e.for_bots) AS body, e.event, e.channel_id, e.room_id ${itsEvents(PAGE)} ORDER BY e.seq LIMIT ${PAGE}
    ), readable AS MATERIALIZED (
      SELECT room_id FROM (SELECT DISTINCT channel_id, room_id FROM page WHERE event IN ${READER_EVENTS_SQL}) rooms
      WHERE bot_can_read($1::uuid, channel_id, room_id)
    )
    SELECT seq, CASE WHEN event NOT IN ${READER_EVENTS_SQL} OR room_id IN (SELECT room_id FROM readable) THEN body END AS body
    FROM page ORDER BY seq`,
}

const TRIMMED = `EXISTS (SELECT FROM installations i JOIN event_trims t ON t.channel_id = i.channel_id
  WHERE i.bot_id = $1::uuid AND t.seq > greatest(i.from_seq, $2::bigint)
    AND (i.to_seq IS NULL OR i.to_seq > $2::bigint)) AS trimmed`

const IS_TRIMMED = { name: 'bot_events_trimmed', text: `SELECT ${TRIMMED}` }

const COUNT = {
  name: 'bot_events_count',
  text: `SELECT count(*)::int AS missed, ${TRIMMED}
    FROM (SELECT ${itsEvents(MOST_MISSED + 1)} LIMIT ${MOST_MISSED + 1}) missed`,
}

/** Counts a bot's events between two positions, up to one more than can be recovered. */
export async function countMissed(
  pool: Pool,
  { botId, kinds }: { readonly botId: string; readonly kinds: WantedKinds },
  after: number,
  top: number,
): Promise<{ missed: number; trimmed: boolean }> {
  const values = [botId, after, top, kinds]
  const { rows } = await pool.query<{ missed: number; trimmed: boolean }>({ ...COUNT, values })
  return rows[0] ?? { missed: 0, trimmed: true }
}

export interface BotFacts extends StreamKey {
  readonly botId: string
  readonly claims: EventClaims
}

export interface BotDuties {
  /** A new token of the same application and key, or why it is rejected. */
  readonly refresh: (facts: BotFacts, token: string) => Promise<{ expiresAt: number } | Close>
  /** Whether the key of the token is still valid and has the scope. */
  readonly isKeyValid: (claims: EventClaims) => Promise<boolean>
  /** Whether a newer connection has replaced this one. */
  readonly isDisplaced: (facts: BotFacts) => Promise<boolean>
  readonly reached: (facts: BotFacts, progress: Progress) => Promise<void>
  readonly left: (facts: BotFacts, progress: Progress) => Promise<void>
}

export function botReceiver(pool: Pool, facts: BotFacts, duties: BotDuties): Receiver {
  const { botId, applicationId, generation, claims } = facts
  const { kinds } = claims
  return {
    kind: 'bot',
    accountId: botId,
    stream: { applicationId, generation },
    channel: BOT_CHANNEL,
    expiresAt: claims.expiresAt,
    memberships: async () => {
      const { rows } = await pool.query<MembershipRange>(
        'SELECT channel_id AS "channelId", from_seq AS "from", to_seq AS "to" FROM installations WHERE bot_id = $1',
        [botId],
      )
      return rows
    },
    wants: (event) => {
      const { actorId, botReaders } = event
      return wantsKind(kinds, event) && actorId !== botId && (botReaders === null || botReaders.includes(botId))
    },
    wantsEphemeral: (kind) => wantsKind(kinds, { audience: 'opt_in', event: kind }),
    canRecover: async (after, top) => {
      const { missed, trimmed } = await countMissed(pool, { botId, kinds }, after, top)
      return !trimmed && missed <= MOST_MISSED
    },
    readAfter: async (after, top) => {
      const values = [botId, after, top, kinds]
      const { rows } = await pool.query<{ seq: number; body: string | null }>({ ...READ, values })
      const recorded = rows.flatMap(({ seq, body }) => (body === null ? [] : [{ seq, body }]))
      return { recorded, upTo: findPageEnd(rows, top) }
    },
    wasTrimmedAfter: async (position) => {
      const { rows } = await pool.query<{ trimmed: boolean }>({ ...IS_TRIMMED, values: [botId, position] })
      return rows[0]?.trimmed ?? true
    },
    refresh: (token) => duties.refresh(facts, token),
    endedBy: async () => {
      if (!(await duties.isKeyValid(claims))) return CLOSES.revoked
      return (await duties.isDisplaced(facts)) ? CLOSES.displaced : undefined
    },
    reached: (progress) => duties.reached(facts, progress),
    left: (progress) => duties.left(facts, progress),
  }
}
