-- Files in messages. A row is entered before the file arrives, so that uploads at the same time can't exceed the quota together.
CREATE TABLE uploads (
  id uuid PRIMARY KEY,
  -- As for messages, the room may be gone: nothing shows its files then, and they expire when its messages are removed.
  room_id uuid NOT NULL,
  uploader_id uuid NOT NULL REFERENCES accounts,
  name text NOT NULL,
  size bigint NOT NULL,
  -- What it takes of the quota: the file and its preview.
  stored_bytes bigint NOT NULL,
  type text,
  -- Of the picture, if it has a preview.
  width integer,
  height integer,
  -- Null until the file is complete.
  file text UNIQUE REFERENCES files,
  preview text UNIQUE REFERENCES files,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- A message has referred to it, so it's no longer only the uploader's.
  was_sent boolean NOT NULL DEFAULT false,
  -- Null while a message refers to the file. Once it has passed, no message may refer to it, and it is deleted.
  expires_at timestamptz DEFAULT now() + interval '1 hour'
);
CREATE INDEX uploads_expiring ON uploads (expires_at) WHERE expires_at IS NOT NULL;
-- For the export of a person's data.
CREATE INDEX uploads_uploader ON uploads (uploader_id, id);

CREATE FUNCTION expire_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE files SET expires_at = now() WHERE name IN (OLD.file, OLD.preview);
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_gone AFTER DELETE ON uploads
  FOR EACH ROW WHEN (OLD.file IS NOT NULL) EXECUTE FUNCTION expire_upload();

-- The sum of all `stored_bytes`, in one row.
CREATE TABLE upload_usage (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  bytes bigint NOT NULL DEFAULT 0
);
INSERT INTO upload_usage DEFAULT VALUES;

CREATE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE upload_usage SET bytes = bytes
    + CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE NEW.stored_bytes END
    - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.stored_bytes END;
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_counted AFTER INSERT OR DELETE OR UPDATE OF stored_bytes ON uploads
  FOR EACH ROW EXECUTE FUNCTION count_upload();

-- Which messages of the uploader refer to a file. Who can read one of them can fetch the file.
CREATE TABLE message_files (
  message_id uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  upload_id uuid NOT NULL REFERENCES uploads ON DELETE CASCADE,
  PRIMARY KEY (message_id, upload_id)
);
CREATE INDEX message_files_upload ON message_files (upload_id);

CREATE FUNCTION use_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE uploads SET expires_at = NULL, was_sent = true WHERE id = NEW.upload_id AND expires_at IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER message_files_added AFTER INSERT ON message_files
  FOR EACH ROW EXECUTE FUNCTION use_upload();

-- The row is locked first: of two deletions at the same time, the second one sees that no reference is left.
CREATE FUNCTION give_up_upload() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM uploads WHERE id = OLD.upload_id FOR NO KEY UPDATE;
  UPDATE uploads SET expires_at = now() + interval '1 day'
  WHERE id = OLD.upload_id AND NOT EXISTS (SELECT FROM message_files WHERE upload_id = OLD.upload_id);
  RETURN NULL;
END $$;
CREATE TRIGGER message_files_removed AFTER DELETE ON message_files
  FOR EACH ROW EXECUTE FUNCTION give_up_upload();

-- Voice rooms have a chat too.
CREATE OR REPLACE FUNCTION queue_message_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_removals SELECT id FROM removed;
  RETURN NULL;
END $$;
