-- What authorization depends on is read with every request and changes rarely, so the serving process caches it
-- (src/db/access-cache.ts). These triggers announce every change, so that no statement, cascade or later migration can
-- forget to.

-- Exactly one process serves a database (src/events/serving-lease.ts). The row names it, so that the next one knows whether
-- it signed off, and so that a process that was replaced can't change what its successor caches.
CREATE TABLE serving_process (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder uuid NOT NULL,
  since timestamptz NOT NULL DEFAULT now(),
  signed_off_at timestamptz,
  -- Whether the process that served last saved its quota counts when it stopped.
  quotas_saved boolean NOT NULL DEFAULT true
);

-- A change is announced
-- to the serving process, on the connection that makes it and before the commit;
-- by a notification, when someone else makes it: the command line, or an operator by hand.
-- The serving process identifies itself in `portico.server`. Once another process has taken over, its changes are refused:
-- the successor waits for the lock, so every change that was let through is committed before the successor reads anything.
CREATE FUNCTION announce_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  server text := nullif(current_setting('portico.server', true), '');
BEGIN
  IF server IS NULL THEN
    PERFORM pg_notify('portico', 'access ');
  ELSE
    PERFORM pg_advisory_xact_lock_shared(1886351974);
    IF NOT EXISTS (SELECT FROM serving_process WHERE holder = server::uuid) THEN
      RAISE EXCEPTION 'another process serves this database' USING ERRCODE = 'admin_shutdown';
    END IF;
  END IF;
  RAISE NOTICE 'cached access data changes' USING ERRCODE = 'POR01';
  RETURN NULL;
END $$;

-- Inserts matter only where a new row changes what was read before. Columns that authorization doesn't read are left out,
-- for example when a key was last used, or how many members there are.
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF name, avatar, avatar_version, disabled_at ON accounts
  EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE ON applications EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF key_hash, scopes ON application_keys
  EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF name, owner_id ON channels
  EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON rooms EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE ON roles EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER DELETE OR UPDATE OF channel_id, account_id, role_id, is_bot, nickname,
  chat_muted, chat_muted_until, voice_muted, voice_muted_until ON members EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER bot_access_changed AFTER INSERT ON members
  FOR EACH ROW WHEN (NEW.is_bot) EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON member_roles EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON room_overrides EXECUTE FUNCTION announce_access_change();
CREATE TRIGGER access_changed AFTER INSERT OR DELETE OR UPDATE ON room_admissions EXECUTE FUNCTION announce_access_change();
