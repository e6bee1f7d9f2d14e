/**
 * SQL that marks a room as read up to a message that is sent there, for the statement of the message's event:
 * $1 is the channel, $2 the room, $3 the author.
 */
export const MARK_SENT_READ = `
  INSERT INTO member_rooms (account_id, room_id, channel_id, read_up_to)
  SELECT $3::uuid, $2::uuid, $1::uuid, id FROM appended
  ON CONFLICT (account_id, room_id) DO UPDATE SET read_up_to = greatest(member_rooms.read_up_to, excluded.read_up_to)`
