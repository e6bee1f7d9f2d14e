import type { Pool } from 'pg'
import { hashToken } from '../accounts/session-token.ts'
import { batchReads } from '../db/batch.ts'
import { bodyForPeople } from '../events/emit-event.ts'
import type { LoggedEvent } from '../events/read-settled.ts'
import { selectReceivable } from './event-recipients.ts'
import { CLOSES } from '../events/stream-codes.ts'
import { findPageEnd, PAGE, type Receiver, type MembershipRange } from './receiver.ts'

/** A portal that missed more events than this reloads its rooms instead. */
const MOST_MISSED = 2000

export const PORTAL_CHANNEL = 'portal'

/**
 * Events of a person's channels since they joined, up to a number from each: one index scan for a channel, because otherwise
 * the events of all others might be read as well.
 */
const theirEvents = (most: number): string => `
  FROM members m CROSS JOIN LATERAL (
    SELECT * FROM events
    WHERE channel_id = ANY (ARRAY[m.channel_id]) AND seq > greatest(m.from_seq, $2::bigint) AND seq <= $3::bigint
      AND audience <> 'opt_in'
    ORDER BY channel_id, seq LIMIT ${most}
  ) e WHERE m.account_id = $1::uuid`

const READ = {
  name: 'person_events',
  text: `SELECT e.seq, e.channel_id AS "channelId", e.room_id AS "roomId", e.event, e.bot_readers AS "botReaders",
    e.body, e.shown ${theirEvents(PAGE)} ORDER BY e.seq LIMIT ${PAGE}`,
}

const TRIMMED = `EXISTS (SELECT FROM members m JOIN event_trims t ON t.channel_id = m.channel_id
  WHERE m.account_id = $1::uuid AND t.seq > greatest(m.from_seq, $2::bigint)) AS trimmed`

const IS_TRIMMED = { name: 'person_events_trimmed', text: `SELECT ${TRIMMED}` }

const COUNT = {
  name: 'person_events_count',
  text: `SELECT count(*)::int AS missed, ${TRIMMED}
    FROM (SELECT ${theirEvents(MOST_MISSED + 1)} LIMIT ${MOST_MISSED + 1}) missed`,
}

/** Whose session it is, by the hash of its token. */
const readSession = batchReads<string>(async (pool, hashes) => {
  const { rows } = await pool.query<{ hash: string; accountId: string }>({
    name: 'sessions_of_streams',
    text: `SELECT encode(token_hash, 'hex') AS hash, account_id AS "accountId" FROM sessions
      WHERE token_hash = ANY ($1::bytea[])`,
    values: [hashes.map((hash) => Buffer.from(hash, 'hex'))],
  })
  return new Map(rows.map(({ hash, accountId }) => [hash, accountId]))
})

type Missed = Pick<LoggedEvent, 'seq' | 'channelId' | 'roomId' | 'event' | 'botReaders' | 'body' | 'shown'>

export interface PersonFacts {
  readonly accountId: string
  readonly sessionToken: string
}

export function personReceiver(pool: Pool, { accountId, sessionToken }: PersonFacts): Receiver {
  return {
    kind: 'person',
    accountId,
    channel: PORTAL_CHANNEL,
    memberships: async () => {
      const { rows } = await pool.query<MembershipRange>(
        'SELECT channel_id AS "channelId", from_seq AS "from", NULL AS "to" FROM members WHERE account_id = $1',
        [accountId],
      )
      return rows
    },
    wants: ({ audience }) => audience !== 'opt_in',
    wantsEphemeral: () => false,
    canRecover: async (after, top) => {
      const { rows } = await pool.query<{ missed: number; trimmed: boolean }>({
        ...COUNT,
        values: [accountId, after, top],
      })
      const { missed = 0, trimmed = true } = rows[0] ?? {}
      return !trimmed && missed <= MOST_MISSED
    },
    readAfter: async (after, top) => {
      const { rows } = await pool.query<Missed>({ ...READ, values: [accountId, after, top] })
      const receivable = await selectReceivable(pool, accountId, rows)
      const recorded = receivable.map((event) => ({ seq: event.seq, body: bodyForPeople(event) }))
      return { recorded, upTo: findPageEnd(rows, top) }
    },
    wasTrimmedAfter: async (position) => {
      const { rows } = await pool.query<{ trimmed: boolean }>({ ...IS_TRIMMED, values: [accountId, position] })
      return rows[0]?.trimmed ?? true
    },
    refresh: async () => CLOSES.invalidToken,
    endedBy: async () => {
      const signedIn = await readSession(pool, hashToken(sessionToken).toString('hex'))
      return signedIn === accountId ? undefined : CLOSES.revoked
    },
    reached: async () => undefined,
    left: async () => undefined,
  }
}
