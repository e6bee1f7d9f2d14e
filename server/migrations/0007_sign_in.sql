-- Sign-in for websites. Each row depends on the one before it: client, consent, grant, token. Deleting one deletes
-- everything that depends on it in the same transaction, and nothing can be added to what is gone.

CREATE TABLE oauth_clients (
  -- The application's id is its client_id.
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  secret_hash bytea NOT NULL,
  secret_hint text NOT NULL,
  secret_issued_at timestamptz NOT NULL DEFAULT now(),
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What a person has allowed a website, so that it need not ask again.
CREATE TABLE consents (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id uuid NOT NULL REFERENCES oauth_clients ON DELETE CASCADE,
  scopes text[] NOT NULL,
  given_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  PRIMARY KEY (account_id, application_id)
);
CREATE INDEX consents_application ON consents (application_id);

-- One sign-in of a person at a website, with all the tokens issued for it. It ends after a year at the latest.
CREATE TABLE oauth_grants (
  id text PRIMARY KEY,
  account_id uuid NOT NULL,
  application_id uuid NOT NULL,
  -- The provider's own data. Plain json, which accepts any text; what SQL needs has its own column.
  payload json NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (account_id, application_id) REFERENCES consents ON DELETE CASCADE
);
CREATE INDEX oauth_grants_consent ON oauth_grants (account_id, application_id);
CREATE INDEX oauth_grants_age ON oauth_grants (created_at);

-- Codes, access tokens and refresh tokens, by the hash of what the website has.
CREATE TABLE oauth_tokens (
  id_hash bytea PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('AuthorizationCode', 'AccessToken', 'RefreshToken')),
  grant_id text NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
  scopes text[] NOT NULL,
  payload json NOT NULL,
  -- Codes and refresh tokens work once; used ones are retained to detect a second use.
  consumed_at timestamptz,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_id);
CREATE INDEX oauth_tokens_expiry ON oauth_tokens (expires_at);

-- Browsers in the middle of a sign-in. Their ids travel in signed cookies, so an id alone is useless.
CREATE TABLE oauth_sessions (
  id text PRIMARY KEY,
  -- Remains the same when the id changes. Two tabs that change it at the same time leave two rows.
  uid text NOT NULL,
  payload json NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_sessions_uid ON oauth_sessions (uid);
CREATE INDEX oauth_sessions_expiry ON oauth_sessions (expires_at);

-- Prompts that a person has not answered yet: to sign in, or to consent.
CREATE TABLE oauth_interactions (
  id text PRIMARY KEY,
  payload json NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_interactions_expiry ON oauth_interactions (expires_at);

-- Keys that all processes share, created by the first. Encrypted, because signing needs the plain key.
CREATE TABLE sign_in_keys (
  purpose text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
