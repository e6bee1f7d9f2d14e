-- The last event of a channel is read in an order that only the index by channel has: ordered by position alone, the
-- events of all other channels might be read for a quiet one. The rest of the function is unchanged.
CREATE OR REPLACE FUNCTION next_event_positions(
  channels uuid[], rooms uuid[], to_admitted boolean[], audiences text[], randoms text[], deadline timestamptz, locked bigint
) RETURNS TABLE (nth integer, seq bigint, at timestamptz, iso text, id uuid, bot_readers uuid[]) ROWS 10 LANGUAGE plpgsql AS $$
DECLARE
  channel uuid;
  key integer;
BEGIN
  FOR element IN 1 .. cardinality(channels) LOOP
    nth := element;
    IF channels[nth] IS DISTINCT FROM channel THEN
      channel := channels[nth];
      key := event_lock(channel);
      -- The lock is usually free, and trying it takes no query.
      IF NOT pg_try_advisory_xact_lock(1886351988, key) THEN
        PERFORM pg_advisory_xact_lock(1886351988, key);
      END IF;
      SELECT e.created_at INTO at FROM events e WHERE e.channel_id = ANY (ARRAY[channel])
        ORDER BY e.channel_id DESC, e.seq DESC LIMIT 1;
    END IF;
    seq := nextval('events_seq_seq');
    at := greatest(require_in_time(deadline), at + interval '1 microsecond');
    iso := to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
    id := event_subject_id((date_part('epoch', at) * 1000000)::bigint, randoms[nth]);
    IF audiences[nth] IS NOT NULL THEN
      bot_readers := nullif(current_setting(audiences[nth]), '')::uuid[];
    ELSIF nth = 1 OR audiences[nth - 1] IS NOT NULL OR channels[nth] <> channels[nth - 1]
      OR rooms[nth] IS DISTINCT FROM rooms[nth - 1] OR to_admitted[nth] <> to_admitted[nth - 1] THEN
      bot_readers := event_bot_readers(channel, rooms[nth], to_admitted[nth]);
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;
