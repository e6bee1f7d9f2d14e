-- The list of members stands in the order of the names that are shown, and is read a page at a time by an index.

-- What two names are compared by, letter by letter: without regard to case and accents, Latin before Cyrillic. Letters
-- that are a base and a mark to Unicode, but stand for themselves in an alphabet, come behind their neighbour.
CREATE FUNCTION sort_name(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  letters text := normalize(lower(name), NFKD);
  own constant text[] := ARRAY[['г', 'ґ'], ['е', 'є'], ['и', 'і'], ['у', 'ў']];
BEGIN
  letters := replace(replace(letters, 'и' || U&'\0306', 'й'), 'у' || U&'\0306', 'ў');
  letters := replace(letters, 'і' || U&'\0308', 'і' || U&'\D7FF');
  letters := regexp_replace(letters, '[\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f]', '', 'g');
  FOR i IN 1 .. array_length(own, 1) LOOP
    letters := replace(letters, own[i][2], own[i][1] || U&'\D7FF');
  END LOOP;
  letters := translate(letters, 'øłđðħıŧ', 'olddhit');
  letters := replace(replace(replace(replace(letters, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  RETURN left(letters, 64);
END $$;

-- Kept by triggers. Compared by bytes: the order is the same on every machine and in every version of its libraries.
ALTER TABLE members ADD COLUMN sort_name text COLLATE "C" NOT NULL DEFAULT '';
UPDATE members m SET sort_name = sort_name(coalesce(m.nickname, a.name)) FROM accounts a WHERE a.id = m.account_id;
CREATE INDEX members_sort_name ON members (channel_id, sort_name, account_id);

-- The account is held while its name is taken over: one that is being changed is waited for, and one that is changed
-- afterwards finds the member.
CREATE FUNCTION name_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.sort_name := sort_name(coalesce(NEW.nickname, (SELECT name FROM accounts WHERE id = NEW.account_id FOR SHARE), ''));
  RETURN NEW;
END $$;
CREATE TRIGGER members_named BEFORE INSERT OR UPDATE OF nickname ON members FOR EACH ROW EXECUTE FUNCTION name_member();

CREATE FUNCTION name_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE members SET sort_name = sort_name(NEW.name) WHERE account_id = NEW.id AND nickname IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_named AFTER UPDATE OF name ON accounts
  FOR EACH ROW WHEN (NEW.name <> OLD.name) EXECUTE FUNCTION name_members();
