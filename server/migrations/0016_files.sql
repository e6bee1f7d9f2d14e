-- Files in a folder or in S3-compatible storage. A file is entered here before it is stored and until it is deleted, so none
-- is forgotten there when a process is killed.
CREATE TABLE files (
  name text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{32}$'),
  -- Null while something refers to the file. Once it has passed, nothing may refer to the file, and it is deleted.
  expires_at timestamptz DEFAULT now() + interval '1 day'
);
CREATE INDEX files_expiring ON files (expires_at) WHERE expires_at IS NOT NULL;

-- For tables that refer to a file: when the row is deleted or gets another file, the old one expires.
CREATE FUNCTION expire_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE files SET expires_at = now() WHERE name = OLD.file;
  RETURN NULL;
END $$;

-- Pictures are files. Those that are still rows are moved while the program runs; the next release drops the column.
ALTER TABLE pictures
  ALTER COLUMN webp DROP NOT NULL,
  ADD COLUMN file text UNIQUE REFERENCES files;
CREATE INDEX pictures_to_move ON pictures (account_id) WHERE webp IS NOT NULL;
CREATE TRIGGER pictures_file_gone AFTER DELETE OR UPDATE OF file ON pictures
  FOR EACH ROW WHEN (OLD.file IS NOT NULL) EXECUTE FUNCTION expire_file();
