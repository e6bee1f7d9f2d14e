-- People and bots, how people sign in, and the few settings of the portal as a whole.

-- An instant inside JSON, in the one form in which all answers tell time.
CREATE FUNCTION iso_time(instant timestamptz) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_char(instant AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

CREATE TABLE instance (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  name text NOT NULL DEFAULT 'Portico',
  registration_open boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO instance DEFAULT VALUES;

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('person', 'bot')),
  name text NOT NULL,
  avatar text NOT NULL,
  avatar_version integer NOT NULL DEFAULT 1,
  password_hash text,
  is_administrator boolean NOT NULL DEFAULT false,
  locale text CHECK (locale IN ('en', 'ru')),
  theme text NOT NULL DEFAULT 'system' CHECK (theme IN ('system', 'light', 'dark')),
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((kind = 'person') = (password_hash IS NOT NULL))
);
-- People sign in by name; bots may share one.
CREATE UNIQUE INDEX accounts_person_name ON accounts (lower(name)) WHERE kind = 'person';

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  device text NOT NULL,
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_account ON sessions (account_id);

-- Failed sign-ins of the last minutes, by account name and by address: shared by all processes, gone when stale.
CREATE TABLE sign_in_failures (
  subject text NOT NULL,
  failed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_failures_subject ON sign_in_failures (subject, failed_at);
CREATE INDEX sign_in_failures_age ON sign_in_failures (failed_at);
