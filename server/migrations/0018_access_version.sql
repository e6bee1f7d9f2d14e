-- The nodes of a cluster cache what authorization depends on as well (src/db/access-version.ts). A node can't be notified of a
-- change in time, so it asks for this number before it uses what it has cached. Every change raises it before its commit, and
-- because a sequence is not part of any transaction, everyone sees that at once.
CREATE SEQUENCE access_version;

CREATE OR REPLACE FUNCTION announce_access_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  server text := nullif(current_setting('portico.server', true), '');
BEGIN
  -- Held from before the version is raised until the change is committed.
  PERFORM pg_advisory_xact_lock_shared(1886351974);
  PERFORM nextval('access_version');
  IF server IS NULL THEN
    PERFORM pg_notify('portico', 'access ');
  ELSIF NOT EXISTS (SELECT FROM serving_process WHERE holder = server::uuid) THEN
    RAISE EXCEPTION 'another process serves this database' USING ERRCODE = 'admin_shutdown';
  END IF;
  RAISE NOTICE 'cached access data changes' USING ERRCODE = 'POR01';
  RETURN NULL;
END $$;

-- The version of all that authorization depends on, or null while a change that has raised it may not be committed. A statement
-- that starts after the answer sees every change up to that version. A version that is `known` from an earlier answer
-- needs no look at the locks.
CREATE FUNCTION settled_access_version(known bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  version bigint;
BEGIN
  SELECT last_value + is_called::integer INTO version FROM access_version;
  -- After the version was read: a change that has raised it holds its lock now, or is committed.
  IF version IS DISTINCT FROM known AND EXISTS (
    SELECT FROM pg_locks
    WHERE locktype = 'advisory' AND classid = 0 AND objid = 1886351974 AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  ) THEN
    RETURN NULL;
  END IF;
  RETURN version;
END $$;
