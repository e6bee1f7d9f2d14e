import type { Pool } from 'pg'
import { hashToken } from '../accounts/session-token.ts'
import { bodyForPeople } from '../events/emit-event.ts'
import { CLOSES } from './protocol.ts'
import { PAGE, type Receiver, type Recorded, type Stretch } from './receiver.ts'

/** A portal that missed more than this reads its rooms anew instead. */
const MOST_MISSED = 2000

export const PORTAL_CHANNEL = 'portal'

/** Whether the person $1 may see the room of the event `e`: public, admitted by name or role, or the owner's. */
const SEEN = `(e.only_for IS NULL OR EXISTS (
  SELECT FROM rooms o JOIN channels c ON c.id = o.channel_id
  WHERE o.id = e.room_id AND (NOT o.private OR c.owner_id = m.account_id OR EXISTS (
    SELECT FROM room_admissions a WHERE a.room_id = o.id AND (
      a.account_id = m.account_id OR a.role_id = m.role_id OR a.role_id IN (
        SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id)))))
)`

const THEIR_EVENTS = `
  FROM members m JOIN events e ON e.channel_id = m.channel_id AND e.seq > $2::bigint AND e.seq <= $3::bigint
  WHERE m.account_id = $1::uuid AND ${SEEN}`

const READ = {
  name: 'person_events',
  text: `SELECT e.seq, e.body, e.shown ${THEIR_EVENTS} ORDER BY e.seq LIMIT ${PAGE}`,
}

const TRIMMED = `EXISTS (SELECT FROM members m JOIN event_trims t ON t.channel_id = m.channel_id
  WHERE m.account_id = $1::uuid AND t.seq > $2::bigint) AS trimmed`

const IS_TRIMMED = { name: 'person_events_trimmed', text: `SELECT ${TRIMMED}` }

const COUNT = {
  name: 'person_events_count',
  text: `SELECT count(*)::int AS missed, ${TRIMMED}
    FROM (SELECT ${THEIR_EVENTS} LIMIT ${MOST_MISSED + 1}) missed`,
}

export interface PersonFacts {
  readonly accountId: string
  readonly sessionToken: string
}

export function personReceiver(pool: Pool, { accountId, sessionToken }: PersonFacts): Receiver {
  return {
    kind: 'person',
    accountId,
    channel: PORTAL_CHANNEL,
    stretches: async () => {
      const { rows } = await pool.query<Stretch>(
        'SELECT channel_id AS "channelId", 0 AS "from", NULL AS "to" FROM members WHERE account_id = $1',
        [accountId],
      )
      return rows
    },
    wants: () => true,
    canRecover: async (after, top) => {
      const { rows } = await pool.query<{ missed: number; trimmed: boolean }>({
        ...COUNT,
        values: [accountId, after, top],
      })
      const { missed = 0, trimmed = true } = rows[0] ?? {}
      return !trimmed && missed <= MOST_MISSED
    },
    readAfter: async (after, top) => {
      const values = [accountId, after, top]
      const { rows } = await pool.query<Recorded & { shown: string | null }>({ ...READ, values })
      return rows.map((row) => ({ seq: row.seq, body: bodyForPeople(row) }))
    },
    wasTrimmedAfter: async (position) => {
      const { rows } = await pool.query<{ trimmed: boolean }>({ ...IS_TRIMMED, values: [accountId, position] })
      return rows[0]?.trimmed ?? true
    },
    refresh: async () => CLOSES.invalidToken,
    endedBy: async () => {
      const { rowCount } = await pool.query('SELECT FROM sessions WHERE token_hash = $1 AND account_id = $2', [
        hashToken(sessionToken),
        accountId,
      ])
      return rowCount === 0 ? CLOSES.revoked : undefined
    },
    reached: async () => undefined,
    left: async () => undefined,
  }
}

/** Who of these people may see what happens in the private room of an event. */
export async function whoMaySee(
  pool: Pool,
  event: { channelId: string; roomId: string | null },
  accountIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'who_may_see',
    text: `SELECT m.account_id AS id FROM members m
      CROSS JOIN (SELECT $2::uuid AS room_id, '{}'::uuid[] AS only_for) e
      WHERE m.channel_id = $1::uuid AND m.account_id = ANY ($3::uuid[]) AND ${SEEN}`,
    values: [event.channelId, event.roomId, accountIds],
  })
  return new Set(rows.map(({ id }) => id))
}
