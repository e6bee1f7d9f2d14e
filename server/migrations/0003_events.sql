-- The log of what happened, from which the bots' streams, the webhooks and the portal are fed. A row is written in the
-- transaction of the change it tells of, so neither exists without the other.
CREATE TABLE events (
  -- The position in the log. Positions are taken before the commit, so a reader may see a later one before an earlier
  -- one; it waits for the writers that were under way (they hold a shared advisory lock) before it passes a gap.
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel_id uuid NOT NULL,
  room_id uuid,
  -- Whose action it was: an application is never told of its own.
  actor_id uuid,
  event text NOT NULL,
  audience text NOT NULL CHECK (audience IN ('bots', 'portal')),
  -- What happens in a private room is for the bots that were admitted then; null: for all bots of the channel.
  only_for uuid[],
  body text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX events_channel ON events (channel_id, seq);
CREATE INDEX events_age ON events (created_at);

-- Between which positions a bot was installed on a channel: what happened before and after is not for it.
CREATE TABLE installations (
  bot_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  to_seq bigint,
  PRIMARY KEY (bot_id, channel_id, from_seq)
);
CREATE UNIQUE INDEX installations_now ON installations (channel_id, bot_id) WHERE to_seq IS NULL;

-- The highest position of a channel that was trimmed: whoever asks from below it has missed something.
CREATE TABLE event_trims (
  channel_id uuid PRIMARY KEY REFERENCES channels ON DELETE CASCADE,
  seq bigint NOT NULL
);

-- Names this log. Positions of another one mean nothing here: a restored database gets a new epoch.
ALTER TABLE instance ADD COLUMN event_epoch text NOT NULL DEFAULT substr(md5(gen_random_uuid()::text), 1, 12);
