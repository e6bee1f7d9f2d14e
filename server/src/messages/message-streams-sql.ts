import type { Message } from '@portico/contract'

/** In the statement of the new message. */
export const INSERT_STREAM = `
  INSERT INTO message_streams (message_id, channel_id, room_id, bot_id, text, length, published)
  SELECT id, channel_id, room_id, author_id, text, char_length(text), char_length(text) FROM appended`

/** The text of a message, also while it is being written. */
export function textSoFar(message: string): string {
  return `CASE WHEN ${message}.streaming = 'writing'
    THEN coalesce((SELECT text FROM message_streams WHERE message_id = ${message}.id), ${message}.text)
    ELSE ${message}.text END`
}

/** What readers learn of it. */
export function streamingState(stored: string | null): Message['streaming'] {
  return stored === 'writing' || stored === 'interrupted' ? stored : undefined
}

/**
 * Appends to many messages, each at most once, before the deadline: `fits` says whether the position and the text there are right.
 */
export const APPEND = {
  name: 'append_to_messages',
  text: `
    WITH locked AS MATERIALIZED (
      SELECT s.message_id, s.text, s.length, g.position, g.added
      FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[])
        AS g (message_id, room_id, bot_id, position, added)
      JOIN message_streams s ON s.message_id = g.message_id AND s.room_id = g.room_id AND s.bot_id = g.bot_id
      ORDER BY s.message_id FOR UPDATE OF s
    ), in_time AS MATERIALIZED (
      SELECT require_in_time($7::timestamptz) FROM (SELECT count(*) FROM locked) l
    ), judged AS MATERIALIZED (
      SELECT message_id, text, length, greatest(length, position + char_length(added)) AS after,
        position <= length AND substr(text, position + 1, char_length(added)) = left(added, length - position) AS fits,
        CASE WHEN position <= length THEN substr(added, length - position + 1) END AS rest
      FROM locked, in_time
    ), appended AS (
      UPDATE message_streams s SET text = j.text || j.rest, length = j.after, appended_at = clock_timestamp()
      FROM judged j WHERE s.message_id = j.message_id AND j.fits AND j.after <= $6
    )
    SELECT message_id AS "messageId", fits, after FROM judged`,
}

/**
 * Takes what open portals have yet to be sent of these messages, unless they were sent some of it just now. Over time that happens
 * once in an interval, whichever nodes do it; one that was late may be early the next time, by half an interval. Doesn't wait until
 * the disk has it: after a crash, portals are sent a part again.
 */
export const TAKE_UNPUBLISHED = {
  name: 'take_unpublished_text',
  text: `
    WITH relaxed AS MATERIALIZED (
      SELECT set_config('synchronous_commit', 'off', true), make_interval(secs => $2::float8 / 1000) AS every
    ), locked AS MATERIALIZED (
      SELECT m.message_id, m.published, relaxed.every FROM relaxed, message_streams m
      WHERE m.message_id = ANY ($1::uuid[]) AND m.published < m.length
        AND m.published_at <= clock_timestamp() - relaxed.every / 2
      ORDER BY m.message_id FOR UPDATE OF m
    )
    UPDATE message_streams s
    SET published = s.length, published_at = greatest(s.published_at + l.every, clock_timestamp())
    FROM locked l WHERE s.message_id = l.message_id
    RETURNING s.message_id AS "messageId", s.channel_id AS "channelId", s.room_id AS "roomId", s.bot_id AS "botId",
      l.published AS position, substr(s.text, l.published + 1) AS text`,
}
