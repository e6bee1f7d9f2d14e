import { DEFAULT_LEVEL, isQuiet, type EventData, type EventShown, type messageCreated } from '@portico/contract'
import type { LoggedEvent } from '../events/read-settled.ts'
import { mentionsOf } from '../messages/mentions.ts'
import type { Services } from '../operations/services.ts'
import { ROLE_IDS_OF_MEMBER } from '../operations/roles-of-member.ts'
import type { Presence } from '../presence/presence.ts'
import { IS_MUTED } from '../unread/is-muted.ts'
import { quietHoursOf, type QuietColumns } from './notification-settings.ts'

/** Why a message notifies a person: the first of these that applies. */
export type NotificationReason = 'mention' | 'reply' | 'role' | 'everyone' | 'all'

export interface PersonToNotify {
  readonly accountId: string
  readonly reason: NotificationReason
  /** Whether the person wants a sound. */
  readonly sound: boolean
}

interface Row extends PersonToNotify, QuietColumns {
  readonly position: number
}

/**
 * The people whom each of these `message.created` events notifies, in the order of the events, as their levels, mutes and
 * hours are now. Leaves out people who have read the message meanwhile, and deleted messages. One statement for all events; it reads the people
 * whom a message concerns; all members of a channel only if it mentions everyone.
 */
export async function peopleToNotify(
  { database, presence }: Pick<Services, 'database' | 'presence'>,
  events: readonly LoggedEvent[],
  now: Date = new Date(),
): Promise<PersonToNotify[][]> {
  const people = events.map((): PersonToNotify[] => [])
  if (events.length === 0) return people
  const requested = events.map((event, position) => describeEvent(presence, event, position))
  const { rows } = await database.pool.query<Row>({ ...FIND, values: [JSON.stringify(await Promise.all(requested))] })
  for (const { position, accountId, reason, sound, ...columns } of rows) {
    const quietHours = quietHoursOf(columns)
    if (quietHours === null || !isQuiet(quietHours, now)) people[position]?.push({ accountId, reason, sound })
  }
  return people
}

async function describeEvent(presence: Presence, { channelId, roomId, body, shown }: LoggedEvent, position: number) {
  const { message } = (JSON.parse(body) as { data: EventData<typeof messageCreated> }).data
  const { replyTo, mentionedGroups: groups = [] } = JSON.parse(shown ?? '{}') as Partial<
    EventShown<typeof messageCreated>
  >
  return {
    position,
    channel_id: channelId,
    room_id: roomId,
    message_id: message.id,
    author_id: message.author.id,
    mentioned: mentionsOf(message.text),
    replied: replyTo?.author?.id ?? null,
    role_ids: groups.filter((group) => group !== 'everyone' && group !== 'here'),
    everyone: groups.includes('everyone'),
    online: groups.includes('here') ? [...(await presence.onlineIn(channelId))] : [],
  }
}

/** The room's overrides of reading, of which the one of the highest role wins, or else the rights of the roles. */
const CAN_READ = `coalesce((
    SELECT 'read_text_room' = ANY (v.allow) FROM room_overrides v JOIN roles r ON r.id = v.role_id
    WHERE v.room_id = o.id AND v.role_id = ANY (${ROLE_IDS_OF_MEMBER}) AND 'read_text_room' = ANY (v.allow || v.deny)
    ORDER BY r.rank DESC LIMIT 1
  ), EXISTS (SELECT FROM roles r WHERE r.id = ANY (${ROLE_IDS_OF_MEMBER}) AND 'read_text_room' = ANY (r.rights)))`

const FIND = {
  name: 'people_to_notify',
  text: `
    WITH requested AS MATERIALIZED (
      SELECT * FROM json_to_recordset($1::json) AS e (position int, channel_id uuid, room_id uuid, message_id uuid,
        author_id uuid, mentioned uuid[], replied uuid, role_ids uuid[], everyone boolean, online uuid[])
    ), concerned AS (
      SELECT e.position, k.account_id, min(k.reason) AS reason
      FROM requested e CROSS JOIN LATERAL (
        SELECT unnest(e.mentioned) AS account_id, 1 AS reason
        UNION ALL SELECT e.replied, 2 WHERE e.replied IS NOT NULL
        UNION ALL SELECT m.account_id, 3 FROM members m WHERE m.role_id = ANY (e.role_ids)
        UNION ALL SELECT g.account_id, 3 FROM member_roles g WHERE g.role_id = ANY (e.role_ids)
        UNION ALL SELECT m.account_id, 4 FROM members m WHERE e.everyone AND m.channel_id = e.channel_id
        UNION ALL SELECT unnest(e.online), 4
        UNION ALL SELECT s.account_id, 5 FROM member_rooms s WHERE s.room_id = e.room_id AND s.level = 'all'
        UNION ALL SELECT n.account_id, 5 FROM channel_notifications n WHERE n.channel_id = e.channel_id AND n.level = 'all'
      ) k GROUP BY e.position, k.account_id
    )
    SELECT e.position, k.account_id AS "accountId", (ARRAY['mention', 'reply', 'role', 'everyone', 'all'])[k.reason] AS reason,
      coalesce(p.sound, true) AS sound, p.quiet_from, p.quiet_until, p.time_zone
    FROM concerned k JOIN requested e ON e.position = k.position
    JOIN members m ON m.channel_id = e.channel_id AND m.account_id = k.account_id
    JOIN messages x ON x.id = e.message_id AND x.deleted_at IS NULL
    JOIN channels c ON c.id = m.channel_id
    JOIN rooms o ON o.id = e.room_id
    LEFT JOIN member_rooms s ON s.account_id = m.account_id AND s.room_id = o.id
    LEFT JOIN channel_notifications n ON n.account_id = m.account_id AND n.channel_id = m.channel_id
    LEFT JOIN notification_settings p ON p.account_id = m.account_id
    WHERE NOT m.is_bot AND m.account_id <> e.author_id
      AND CASE coalesce(s.level, n.level, '${DEFAULT_LEVEL}')
        WHEN 'all' THEN true WHEN 'mentions' THEN k.reason < 5 ELSE false END
      AND NOT ${IS_MUTED('s')} AND NOT ${IS_MUTED('n')}
      AND (s.read_up_to IS NULL OR s.read_up_to < e.message_id)
      AND (c.owner_id = m.account_id OR ((NOT o.private OR EXISTS (
        SELECT FROM room_admissions a
        WHERE a.room_id = o.id AND (a.account_id = m.account_id OR a.role_id = ANY (${ROLE_IDS_OF_MEMBER}))
      )) AND ${CAN_READ}))
    ORDER BY e.position, k.account_id`,
}
