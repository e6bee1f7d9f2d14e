-- Web Push: the portal's key pair, the browsers that people have subscribed, and what is still to be sent to them.

-- Created by the first process and shared by all. Encrypted, because signing needs the plain key.
CREATE TABLE push_keys (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE push_subscriptions (
  session_id uuid PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- Finds the earlier session of a browser: it belongs to the one that subscribed it last.
  endpoint_hash bytea NOT NULL,
  -- The address and keys, encrypted: who knows them can address the browser.
  sealed bytea NOT NULL,
  locale text NOT NULL CHECK (locale IN ('en', 'ru')),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX push_subscriptions_account ON push_subscriptions (account_id);
CREATE INDEX push_subscriptions_endpoint ON push_subscriptions (endpoint_hash);

-- What is to be pushed: for each browser and room one message, the latest. Its text is read when it is sent.
CREATE TABLE pushes (
  session_id uuid NOT NULL REFERENCES push_subscriptions ON DELETE CASCADE,
  room_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  message_id uuid NOT NULL,
  -- The position of its event in the log.
  seq bigint NOT NULL,
  -- Whether every message of the room notifies the person: one that mentions or answers them goes before.
  is_plain boolean NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- While a process sends it: when another one may take over, in case that one has died.
  next_attempt_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (session_id, room_id)
);
CREATE INDEX pushes_due ON pushes (next_attempt_at);

-- The log has been turned into pushes up to here.
CREATE TABLE push_cursor (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  seq bigint NOT NULL
);
INSERT INTO push_cursor (seq) SELECT coalesce(max(seq), 0) FROM events;

-- When the person last used a window of this session: nothing is pushed to someone who is there.
ALTER TABLE sessions ADD COLUMN active_at timestamptz;
