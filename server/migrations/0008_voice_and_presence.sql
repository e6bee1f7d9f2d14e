-- Who is in which voice or stream room, and who is online.

-- A member is in at most one voice room per channel.
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

-- The processes that serve this portal. One that hasn't reported for a while is gone, with everyone connected to it.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  last_seen_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNLOGGED TABLE presences (
  process_id uuid NOT NULL,
  account_id uuid NOT NULL,
  PRIMARY KEY (process_id, account_id)
);
CREATE INDEX presences_account ON presences (account_id);
