import type { Pool } from 'pg'
import type { LoggedEvent } from '../events/read-settled.ts'

/** In seconds: longer than an attempt takes. If the process dies meanwhile, another one sends it again after this time. */
const CLAIMED_FOR = 30
/** So many at the same time for one person, whose endpoints may be slow. */
const MOST_OF_PERSON = 4
/** In seconds: longer than the portal takes from one report of activity to the next. */
const ACTIVE_FOR = 75

/** A push that this process is to send, with all that its notification shows. */
export interface ClaimedPush {
  readonly sessionId: string
  readonly channelId: string
  readonly roomId: string
  readonly messageId: string
  readonly attempts: number
  /** Seconds since it was planned. */
  readonly age: number
  /** Null if it was trimmed. */
  readonly event: LoggedEvent | null
  readonly accountId: string
  readonly sealed: Buffer
  readonly locale: 'en' | 'ru'
  /** The person is using a window of the portal. */
  readonly isActive: boolean
  /** Null if the message was deleted. */
  readonly text: string | null
  readonly authorName: string
  readonly authorIsBot: boolean
  readonly roomName: string
  readonly channelName: string
  /** Unread mentions in all rooms. */
  readonly mentions: number
}

/**
 * Claims due pushes: no other process gets them while this one sends. What they show is read now, because the message may have
 * been edited or deleted since the push was planned.
 */
const CLAIM = `
  WITH due AS (
    SELECT p.session_id, p.room_id, row_number() OVER (PARTITION BY s.account_id ORDER BY p.next_attempt_at) AS position
    FROM pushes p JOIN push_subscriptions s ON s.session_id = p.session_id
    WHERE p.next_attempt_at <= now() AND s.account_id <> ALL ($2::uuid[])
  ), free AS (
    SELECT p.session_id, p.room_id FROM pushes p JOIN due ON due.session_id = p.session_id AND due.room_id = p.room_id
    WHERE p.next_attempt_at <= now() AND due.position <= ${MOST_OF_PERSON}
    ORDER BY p.next_attempt_at LIMIT $1 FOR UPDATE OF p SKIP LOCKED
  ), claimed AS (
    UPDATE pushes p SET attempts = p.attempts + 1, next_attempt_at = now() + make_interval(secs => ${CLAIMED_FOR})
    FROM free WHERE p.session_id = free.session_id AND p.room_id = free.room_id
    RETURNING p.*
  )
  SELECT p.session_id AS "sessionId", p.channel_id AS "channelId", p.room_id AS "roomId", p.message_id AS "messageId",
    p.attempts, extract(epoch FROM now() - p.created_at)::float8 AS age,
    (SELECT json_build_object('seq', v.seq, 'channelId', v.channel_id, 'roomId', v.room_id, 'actorId', v.actor_id,
        'event', v.event, 'audience', v.audience, 'botReaders', v.bot_readers, 'body', v.body, 'shown', v.shown,
        'createdAt', iso_time(v.created_at))
      FROM events v WHERE v.seq = p.seq) AS event,
    s.account_id AS "accountId", s.sealed, coalesce(a.locale, s.locale) AS locale,
    EXISTS (SELECT FROM sessions x WHERE x.account_id = s.account_id
      AND x.active_at > now() - make_interval(secs => ${ACTIVE_FOR})) AS "isActive",
    m.text, coalesce(w.nickname, author.name, '') AS "authorName", coalesce(author.kind = 'bot', false) AS "authorIsBot",
    coalesce(o.name, '') AS "roomName",
    coalesce(c.name, '') AS "channelName",
    (SELECT count(*)::int FROM mentions n
      LEFT JOIN member_rooms e ON e.account_id = n.account_id AND e.room_id = n.room_id
      WHERE n.account_id = s.account_id AND (e.read_up_to IS NULL OR n.message_id > e.read_up_to)) AS mentions
  FROM claimed p
  JOIN push_subscriptions s ON s.session_id = p.session_id
  JOIN accounts a ON a.id = s.account_id
  LEFT JOIN channels c ON c.id = p.channel_id AND c.deleted_at IS NULL
  LEFT JOIN rooms o ON o.id = p.room_id AND o.channel_id = c.id
  LEFT JOIN messages m ON m.id = p.message_id AND m.room_id = o.id AND m.deleted_at IS NULL
  LEFT JOIN accounts author ON author.id = m.author_id
  LEFT JOIN members w ON w.channel_id = p.channel_id AND w.account_id = m.author_id`

/** At most `most`, and none of these people. */
export async function claimPushes(pool: Pool, most: number, except: readonly string[]): Promise<ClaimedPush[]> {
  const { rows } = await pool.query<ClaimedPush>({ name: 'claim_pushes', text: CLAIM, values: [most, except] })
  return rows
}
