-- When and why a session ended that its person didn't sign out of, for whoever still has its token: the sign-in page says so.
-- A table of its own, so that no query of `sessions` can take an ended one for a session. There is no foreign key: an entry
-- must never make the end of a session wait for a lock of the account. Rows are deleted after 30 days.
CREATE TABLE ended_sessions (
  token_hash bytea PRIMARY KEY,
  account_id uuid NOT NULL,
  reason text NOT NULL,
  ended_at timestamptz NOT NULL
);
CREATE INDEX ended_sessions_account ON ended_sessions (account_id, ended_at);
CREATE INDEX ended_sessions_age ON ended_sessions (ended_at);
