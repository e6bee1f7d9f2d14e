-- Applications with their bots, keys and commands. A bot is installed on a channel by being a member of it.

CREATE TABLE applications (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  owner_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The account outlives the application: messages of a deleted bot stay in history under its name.
  bot_id uuid NOT NULL UNIQUE REFERENCES accounts,
  -- An operator's quotas for this application; null: the usual ones.
  request_limit integer CHECK (request_limit > 0),
  write_limit integer CHECK (write_limit > 0),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_owner ON applications (owner_id);

-- One row an application: there is no moment with two valid keys.
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
