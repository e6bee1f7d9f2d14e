-- Whom an event is for, as events.only_for says it: null, all bots of the channel; in a private room, the bots that it
-- admits by name or by a role of theirs, or nobody. A function of its own: within the statement that writes an event,
-- these tables would be opened for every message, although hardly any is of a private room.
CREATE FUNCTION event_only_for(channel uuid, room uuid, to_admitted boolean) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF (SELECT private FROM rooms WHERE id = room) IS NOT TRUE THEN
    RETURN NULL;
  END IF;
  IF NOT to_admitted THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT m.account_id FROM members m
    WHERE m.channel_id = channel AND m.is_bot AND EXISTS (
      SELECT FROM room_admissions a WHERE a.room_id = room AND (
        a.account_id = m.account_id OR a.role_id = m.role_id OR a.role_id IN (
          SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id))));
END $$;

-- Events are written in the order of their time, so it is enough to know the times of a range of pages.
DROP INDEX events_age;
CREATE INDEX events_age ON events USING brin (created_at) WITH (autosummarize = on);
