-- Who is in which voice room: of one channel, in at most one.
CREATE TABLE voice_sessions (
  channel_id uuid NOT NULL,
  account_id uuid NOT NULL,
  room_id uuid NOT NULL,
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel_id, account_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX voice_sessions_room ON voice_sessions (room_id, joined_at);
