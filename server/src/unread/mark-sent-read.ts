/**
 * SQL that marks rooms as read up to the messages that are sent there, for the statement of the messages' events, whose
 * change has the column `author_id`.
 */
export const MARK_SENT_READ = `
  INSERT INTO member_rooms (account_id, room_id, channel_id, read_up_to)
  SELECT DISTINCT ON (author_id, room_id) author_id, room_id, channel_id, id FROM appended
  ORDER BY author_id, room_id, seq DESC
  ON CONFLICT (account_id, room_id) DO UPDATE SET read_up_to = greatest(member_rooms.read_up_to, excluded.read_up_to)`
