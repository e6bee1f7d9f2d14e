-- Administrators search people, channels and applications by a part of the name, newest first. The name that is compared is
-- in the index, so that the table is read only for the page.
ALTER TABLE accounts ADD COLUMN sort_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (sort_name(name)) STORED;
ALTER TABLE channels ADD COLUMN sort_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (sort_name(name)) STORED;
ALTER TABLE applications ADD COLUMN sort_name text COLLATE "C" NOT NULL GENERATED ALWAYS AS (sort_name(name)) STORED;
CREATE INDEX accounts_people ON accounts (id) INCLUDE (sort_name) WHERE kind = 'person' AND deleted_at IS NULL;
CREATE INDEX channels_newest ON channels (id) INCLUDE (sort_name);
CREATE INDEX applications_newest ON applications (id) INCLUDE (sort_name);
