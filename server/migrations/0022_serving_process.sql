-- Exactly one process serves a database (src/events/serving-lease.ts). The row names it, so that the next one knows
-- whether it signed off, and so that one that was replaced cannot change what its successor caches.
CREATE TABLE serving_process (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  holder uuid NOT NULL,
  since timestamptz NOT NULL DEFAULT now(),
  left_at timestamptz
);

-- A change of what may be cached is announced to whoever must know:
-- on the connection that makes it, to the serving process itself, before the commit;
-- by a notification, where somebody else makes it: the command line, or an operator by hand.
-- The serving process names itself in `portico.server`. Once another one has taken over, its changes are refused: the
-- successor waits for the lock, so every change that was let through is over before the successor reads anything.
CREATE OR REPLACE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
  RAISE NOTICE 'what may be remembered changes' USING ERRCODE = 'POR01';
  RETURN NULL;
END $$;
