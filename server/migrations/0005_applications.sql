-- Applications with their bots, keys, commands and event streams, and quotas. A bot is installed in a channel by being a
-- member of it.

CREATE TABLE applications (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  owner_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The account outlives the application: messages of a deleted bot remain in history under its name.
  bot_id uuid NOT NULL UNIQUE REFERENCES accounts,
  -- Quotas that an administrator set for this application; null: the defaults.
  request_limit integer CHECK (request_limit > 0),
  write_limit integer CHECK (write_limit > 0),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_owner ON applications (owner_id);

-- One row per application: two keys are never valid at the same time.
CREATE TABLE application_keys (
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  key_hash bytea NOT NULL UNIQUE,
  hint text NOT NULL,
  scopes text[] NOT NULL,
  issued_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);

CREATE TABLE commands (
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  position integer NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  usage text,
  PRIMARY KEY (application_id, position)
);

-- The connection that receives an application's events: one at a time.
CREATE TABLE stream_owners (
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  -- Increases with every takeover; a connection with a lower generation is closed.
  generation bigint NOT NULL,
  token_id uuid NOT NULL,
  client text NOT NULL,
  address text NOT NULL,
  connected_at timestamptz NOT NULL DEFAULT now(),
  disconnected_at timestamptz,
  -- When its process last reported it: a process that died reports nothing.
  seen_at timestamptz NOT NULL DEFAULT now(),
  -- `idle`: no subscription. `behind`: catching up with missed events. `live`: receiving events as they happen.
  phase text NOT NULL DEFAULT 'idle' CHECK (phase IN ('idle', 'behind', 'live')),
  -- The last position that was delivered to this connection or an earlier one; null: none ever subscribed.
  delivered_seq bigint,
  displaced_address text,
  displaced_client text,
  displaced_at timestamptz,
  displacer_client text,
  displacer_address text,
  -- Takeovers in the current minute: two processes that keep displacing each other are slowed down.
  takeovers integer NOT NULL DEFAULT 0,
  takeovers_since timestamptz NOT NULL DEFAULT now()
);

-- Tokens of displaced connections, which may not be used again before they expire.
CREATE TABLE revoked_event_tokens (
  token_id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX revoked_event_tokens_age ON revoked_event_tokens (expires_at);

-- Quotas are counted in memory and hold across a restart: recent counts are saved here every second
-- (src/quotas/window-quotas.ts), with what may have been accepted since.
CREATE TABLE quota_windows (
  subject text PRIMARY KEY,
  saved_at timestamptz NOT NULL,
  -- How many were accepted in each second before, the latest second first.
  accepted integer[] NOT NULL,
  -- How many more may be accepted before the next save.
  reserved integer NOT NULL
);
