-- How much of the storage for files each person takes, so that nobody can fill it alone. Files of a bot count for the owner of its
-- application; else one person with fifty applications would have fifty shares.
ALTER TABLE uploads ADD COLUMN owner_id uuid REFERENCES accounts;
CREATE INDEX uploads_owner ON uploads (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE upload_shares (
  owner_id uuid PRIMARY KEY REFERENCES accounts,
  bytes bigint NOT NULL DEFAULT 0
);
INSERT INTO upload_shares (owner_id, bytes) SELECT uploader_id, sum(stored_bytes) FROM uploads GROUP BY uploader_id;

-- Uploads of earlier versions have no owner, and count for who uploaded them.
CREATE OR REPLACE FUNCTION count_upload() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted uploads := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  added bigint := CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE NEW.stored_bytes END
    - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.stored_bytes END;
BEGIN
  -- Always in this order, so that two uploads can't wait for each other.
  UPDATE upload_usage SET bytes = bytes + added;
  INSERT INTO upload_shares AS s (owner_id, bytes)
  VALUES (coalesce(counted.owner_id, counted.uploader_id), added)
  ON CONFLICT (owner_id) DO UPDATE SET bytes = s.bytes + added;
  RETURN NULL;
END $$;
