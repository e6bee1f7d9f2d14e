-- The rooms that an audit entry names. It is shown only to those who see all of them.
ALTER TABLE audit_log ADD COLUMN room_ids uuid[] NOT NULL DEFAULT '{}';

UPDATE audit_log SET room_ids = array_remove(ARRAY[
  CASE WHEN action LIKE 'room.%' THEN target_id END,
  (details ->> 'roomId')::uuid, (details ->> 'fromRoomId')::uuid, (details ->> 'toRoomId')::uuid], NULL)
WHERE channel_id IS NOT NULL AND (action LIKE 'room.%' OR details ?| ARRAY['roomId', 'fromRoomId', 'toRoomId']);

-- Who saw a private room when it was deleted: ids of roles and of accounts. They go on seeing its audit entries.
CREATE TABLE deleted_private_rooms (
  room_id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  admitted uuid[] NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deleted_private_rooms_channel ON deleted_private_rooms (channel_id);
CREATE INDEX deleted_private_rooms_age ON deleted_private_rooms (deleted_at);

-- Of rooms that were deleted before, only that they were private at some time is known: their entries are the owner's.
INSERT INTO deleted_private_rooms (room_id, channel_id, admitted)
SELECT DISTINCT l.target_id, l.channel_id, '{}'::uuid[] FROM audit_log l
WHERE l.channel_id IS NOT NULL AND l.target_id IS NOT NULL
  AND (l.action = 'room.created' AND l.details ->> 'private' = 'true'
    OR l.action = 'room.updated' AND l.details -> 'private' ->> 'to' = 'true')
  AND NOT EXISTS (SELECT FROM rooms o WHERE o.id = l.target_id);
