-- Members are searched for within one index, which has both names that somebody can be known by.

-- The account's name, as it is compared, where a nickname is shown in its place.
ALTER TABLE members ADD COLUMN hidden_name text COLLATE "C";
UPDATE members m SET hidden_name = sort_name(a.name) FROM accounts a WHERE a.id = m.account_id AND m.nickname IS NOT NULL;

DROP INDEX members_sort_name;
CREATE INDEX members_sort_name ON members (channel_id, sort_name, account_id) INCLUDE (hidden_name);

CREATE OR REPLACE FUNCTION name_member() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text := coalesce((SELECT a.name FROM accounts a WHERE a.id = NEW.account_id FOR SHARE), '');
BEGIN
  NEW.sort_name := sort_name(coalesce(NEW.nickname, name));
  NEW.hidden_name := CASE WHEN NEW.nickname IS NOT NULL THEN sort_name(name) END;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION name_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sorted text := sort_name(NEW.name);
BEGIN
  UPDATE members SET
    sort_name = CASE WHEN nickname IS NULL THEN sorted ELSE sort_name END,
    hidden_name = CASE WHEN nickname IS NOT NULL THEN sorted END
  WHERE account_id = NEW.id;
  RETURN NULL;
END $$;
