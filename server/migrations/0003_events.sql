-- The log of what happened. A row is written in the transaction of the change it tells of, so neither exists alone.
CREATE TABLE events (
  id uuid PRIMARY KEY,
  -- A sequence alone shows later commits before earlier ones; readers go by the transaction that wrote the row.
  written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
  channel_id uuid NOT NULL,
  room_id uuid,
  -- Whose action it was: an application is never told of its own.
  actor_id uuid,
  event text NOT NULL,
  audience text NOT NULL CHECK (audience IN ('bots', 'portal')),
  body text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX events_age ON events (created_at);
