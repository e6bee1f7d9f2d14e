-- A one-time link with which a person chooses a new password. At most one per person; only the hash of its code is stored.
CREATE TABLE reset_links (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  code_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX reset_links_age ON reset_links (expires_at);
