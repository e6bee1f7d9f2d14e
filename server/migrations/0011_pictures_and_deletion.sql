-- Uploaded pictures, and accounts that were deleted or disabled.

-- Small and always as we made them: kept here, so that every process has them and a backup holds them.
CREATE TABLE pictures (
  account_id uuid UNIQUE REFERENCES accounts ON DELETE CASCADE,
  channel_id uuid UNIQUE REFERENCES channels ON DELETE CASCADE,
  webp bytea NOT NULL,
  CHECK (num_nonnulls(account_id, channel_id) = 1)
);
-- They are compressed already.
ALTER TABLE pictures ALTER COLUMN webp SET STORAGE EXTERNAL;

-- A deleted account stays behind its messages, without name, picture and password. Its name is free again.
ALTER TABLE accounts ADD COLUMN deleted_at timestamptz;
-- An administrator can keep somebody out without taking anything from them.
ALTER TABLE accounts ADD COLUMN disabled_at timestamptz;
ALTER TABLE accounts DROP CONSTRAINT accounts_check;
ALTER TABLE accounts ADD CONSTRAINT accounts_password
  CHECK ((kind = 'person' AND deleted_at IS NULL) = (password_hash IS NOT NULL));
DROP INDEX accounts_person_name;
CREATE UNIQUE INDEX accounts_person_name ON accounts (lower(name)) WHERE kind = 'person' AND deleted_at IS NULL;

-- What somebody wrote, for the file that they can take with them.
CREATE INDEX messages_author ON messages (author_id, id);
