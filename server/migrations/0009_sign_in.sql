-- Sign-in for websites. Each row stands on the one before it: client, consent, grant, token. Taking any of them away takes
-- away what stands on it in the same instant, and nothing can be written on top of what is gone.

CREATE TABLE oauth_clients (
  -- The application's id is its client_id.
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  secret_hash bytea NOT NULL,
  secret_hint text NOT NULL,
  secret_issued_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a person has allowed a website, remembered so that it need not ask again.
CREATE TABLE consents (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id uuid NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  scopes text[] NOT NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  PRIMARY KEY (account_id, application_id)
);
CREATE INDEX consents_application ON consents (application_id);

-- One sign-in of a person at a website, with all the tokens that came of it. It ends a year later at the latest.
CREATE TABLE oauth_grants (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  application_id uuid NOT NULL,
  -- What the provider keeps. Plain json, which holds any text: what SQL looks at has a column of its own.
  payload json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (account_id, application_id) REFERENCES consents ON DELETE CASCADE
);
CREATE INDEX oauth_grants_consent ON oauth_grants (account_id, application_id);
CREATE INDEX oauth_grants_age ON oauth_grants (created_at);

-- Codes, access tokens and refresh tokens, under the hash of what the website holds.
CREATE TABLE oauth_tokens (
  id_hash bytea PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  grant_id text NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
  scopes text[] NOT NULL,
  payload json NOT NULL,
  -- Codes and refresh tokens are used once; what was used is kept to tell when it is used again.
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);

-- Browsers on their way through a sign-in. Their ids travel in signed cookies: without the key for them they open nothing.
CREATE TABLE oauth_sessions (
  id text PRIMARY KEY,
  -- Stays the same when the id is changed. Two tabs that change it at once leave two rows.
  uid text NOT NULL,
  payload json NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_sessions_uid ON oauth_sessions (uid);
CREATE INDEX oauth_sessions_expiry ON oauth_sessions (expires_at);

-- Questions to people that are not answered yet: to sign in, or to consent.
CREATE TABLE oauth_interactions (
  id text PRIMARY KEY,
  payload json NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_interactions_expiry ON oauth_interactions (expires_at);

-- Keys that all processes share, made by whichever comes first. Encrypted: they must be read to sign with.
CREATE TABLE sign_in_keys (
  purpose text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
