-- What decides about a request changes seldom and is asked for with every one, so a process that is alone remembers it
-- (src/db/memory.ts). Whoever changes any of it is told so by the database, on the connection that it is changed on and
-- before the commit: no statement, cascade or later migration can forget to.

CREATE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE 'what may be remembered changes' USING ERRCODE = 'POR01';
  RETURN NULL;
END $$;

-- Inserts count where a new row changes what was read before. Columns that decide nothing are left out: when a key was
-- last used, how many members there are.
CREATE TRIGGER told AFTER DELETE OR UPDATE OF name, avatar, avatar_version ON accounts EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER DELETE OR UPDATE ON applications EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER DELETE OR UPDATE OF key_hash, scopes ON application_keys EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER DELETE OR UPDATE OF name, owner_id ON channels EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER INSERT OR DELETE OR UPDATE ON rooms EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER DELETE OR UPDATE ON roles EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER DELETE OR UPDATE ON members EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told_of_bot AFTER INSERT ON members FOR EACH ROW WHEN (NEW.is_bot) EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER INSERT OR DELETE OR UPDATE ON member_roles EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER INSERT OR DELETE OR UPDATE ON room_overrides EXECUTE FUNCTION tell_of_change();
CREATE TRIGGER told AFTER INSERT OR DELETE OR UPDATE ON room_admissions EXECUTE FUNCTION tell_of_change();
