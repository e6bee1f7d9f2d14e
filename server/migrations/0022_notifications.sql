-- What people are notified about: a level for a room, else one for its channel; mutes; hours without notifications.

ALTER TABLE member_rooms
  -- Null: the level of the channel.
  ADD COLUMN level text CHECK (level IN ('all', 'mentions', 'nothing')),
  -- When `muted` no longer applies. Null: never.
  ADD COLUMN muted_until timestamptz;
-- Those whom every message of a room notifies: found without reading the other members.
CREATE INDEX member_rooms_all ON member_rooms (room_id, account_id) WHERE level = 'all';

CREATE TABLE channel_notifications (
  account_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  -- Null: the default.
  level text CHECK (level IN ('all', 'mentions', 'nothing')),
  muted boolean NOT NULL DEFAULT false,
  muted_until timestamptz,
  PRIMARY KEY (channel_id, account_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX channel_notifications_all ON channel_notifications (channel_id, account_id) WHERE level = 'all';

-- No row: the defaults.
CREATE TABLE notification_settings (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  sound boolean NOT NULL DEFAULT true,
  -- Hours without notifications, as times of day such as 22:00 in a time zone of the IANA database.
  quiet_from text,
  quiet_until text,
  time_zone text,
  CHECK (num_nulls(quiet_from, quiet_until, time_zone) IN (0, 3))
);
