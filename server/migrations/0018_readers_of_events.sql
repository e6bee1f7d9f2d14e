-- Whom an event is for, as events.only_for says it: null, all bots of the channel; otherwise the bots in the list. What is
-- said in a room is for the bots that may read it there, by the rule of `rightsOf` in the contract. A room that is gone
-- has no readers.
CREATE OR REPLACE FUNCTION event_only_for(channel uuid, room uuid, to_admitted boolean) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  is_private boolean;
  is_open boolean;
BEGIN
  IF room IS NULL THEN
    RETURN NULL;
  END IF;
  -- Nearly every room is open: nobody is kept from reading. That is found out in one query.
  SELECT o.private, NOT o.private AND (NOT to_admitted OR (
      NOT EXISTS (SELECT FROM room_overrides v WHERE v.room_id = o.id AND 'read_text_room' = ANY (v.deny))
      AND NOT EXISTS (SELECT FROM roles r
        WHERE r.channel_id = channel AND r.system_name <> 'CUSTOM' AND NOT 'read_text_room' = ANY (r.rights))))
    INTO is_private, is_open FROM rooms o WHERE o.id = room;
  IF is_open THEN
    RETURN NULL;
  END IF;
  IF is_private IS NULL OR NOT to_admitted THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT m.account_id
    FROM members m
    CROSS JOIN LATERAL (
      SELECT array_agg(id) AS ids FROM (
        SELECT m.role_id AS id
        UNION ALL SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id
      ) held
    ) role
    WHERE m.channel_id = channel AND m.is_bot
      AND (NOT is_private OR EXISTS (
        SELECT FROM room_admissions a
        WHERE a.room_id = room AND (a.account_id = m.account_id OR a.role_id = ANY (role.ids))))
      -- The override of the highest role wins; without one, any role that has the right is enough.
      AND coalesce(
        (SELECT NOT 'read_text_room' = ANY (v.deny) FROM room_overrides v JOIN roles r ON r.id = v.role_id
          WHERE v.room_id = room AND v.role_id = ANY (role.ids)
            AND ('read_text_room' = ANY (v.allow) OR 'read_text_room' = ANY (v.deny))
          ORDER BY r.rank DESC LIMIT 1),
        EXISTS (SELECT FROM roles r WHERE r.id = ANY (role.ids) AND 'read_text_room' = ANY (r.rights))));
END $$;

-- Whether a bot may read a room now: it is on the channel, and would be told of a message there.
CREATE FUNCTION bot_reads(bot uuid, channel uuid, room uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM members m WHERE m.channel_id = channel AND m.account_id = bot)
    AND coalesce(bot = ANY (event_only_for(channel, room, true)), true)
$$;
