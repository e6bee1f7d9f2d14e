-- Keys with which OBS and other programs broadcast into one stream room as one person. A key ends with the membership and
-- with the room. One row per person and room: two keys are never valid at the same time.
CREATE TABLE stream_keys (
  channel_id uuid NOT NULL,
  account_id uuid NOT NULL,
  room_id uuid NOT NULL,
  key_hash bytea NOT NULL UNIQUE,
  hint text NOT NULL,
  issued_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  PRIMARY KEY (account_id, room_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX stream_keys_room ON stream_keys (channel_id, room_id);
CREATE INDEX stream_keys_member ON stream_keys (channel_id, account_id);
