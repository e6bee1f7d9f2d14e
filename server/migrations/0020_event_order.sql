-- One order for everything that happens on a channel: the order of commits, of positions, of times and of message ids is
-- the same. Whoever appends an event holds the channel's lock from before the position is assigned until the commit, so
-- that nothing earlier can become visible later.

-- The lock of a channel's log. Channels share a thousand of them: a transaction that appends to many channels must not
-- fill the server's lock table. Whoever needs several takes them in the order of these numbers.
CREATE FUNCTION event_lock(channel uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT hashtext(channel::text) & 1023 $$;

-- The locks of several channels, and from then on the transaction waits for any other lock no longer than told (in
-- milliseconds; null: as long as usual): whoever holds a channel's log must not wait for those who want it.
CREATE FUNCTION lock_events(channels uuid[], patience integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key integer;
BEGIN
  FOR key IN SELECT DISTINCT event_lock(channel) FROM unnest(channels) AS channel ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(1886351988, key);
  END LOOP;
  IF patience IS NOT NULL THEN
    PERFORM set_config('lock_timeout', patience::text, true);
  END IF;
END $$;

-- Refuses to go on after a moment by this server's clock. What waits in the connection of a server that was stopped is
-- carried out when it wakes, although nobody waits for it any more: evaluated last before the commit, this undoes it.
CREATE FUNCTION require_in_time(deadline timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  now timestamptz := clock_timestamp();
BEGIN
  IF now > deadline THEN
    RAISE EXCEPTION 'the deadline of the request has passed' USING ERRCODE = 'POR02';
  END IF;
  RETURN now;
END $$;

-- The next position in a channel's log, its time (also as it is written in JSON), and an id for what the event tells of:
-- a UUID of version 7 with the milliseconds, the fraction of the millisecond in 12 bits (a microsecond is four of them)
-- and the last 62 bits of a random UUID; null without one. Times, and with them ids, increase within a channel even when
-- the clock is set back. The queries of a volatile function see what was committed while it waited for the lock. `locked` is
-- not used: it is evaluated first, which is where a statement locks the rows that it refers to.
CREATE FUNCTION append_event(
  channel uuid, random text, deadline timestamptz, locked bigint,
  OUT seq bigint, OUT at timestamptz, OUT iso text, OUT id uuid
) LANGUAGE plpgsql AS $$
DECLARE
  key integer := event_lock(channel);
  newest timestamptz;
  microseconds bigint;
BEGIN
  -- The lock is usually free, and trying for it takes no query.
  IF NOT pg_try_advisory_xact_lock(1886351988, key) THEN
    PERFORM pg_advisory_xact_lock(1886351988, key);
  END IF;
  SELECT e.created_at INTO newest FROM events e WHERE e.channel_id = channel ORDER BY e.seq DESC LIMIT 1;
  seq := nextval('events_seq_seq');
  at := greatest(require_in_time(deadline), newest + interval '1 microsecond');
  iso := to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
  IF random IS NOT NULL THEN
    microseconds := date_part('epoch', at) * 1000000;
    id := lpad(to_hex(microseconds / 1000), 12, '0') || '7' || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0')
      || substr(random, 20);
  END IF;
END $$;
