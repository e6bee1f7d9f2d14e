-- The nodes of a cluster count quotas in Redis, and in these tables while Redis is away (src/quotas/redis-quotas.ts).

CREATE TABLE quota_counting (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Grows whenever counting moves.
  epoch integer NOT NULL DEFAULT 1,
  -- Names the counters in Redis. Null: requests are counted in quota_log.
  token uuid,
  changed_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO quota_counting DEFAULT VALUES;

CREATE TABLE quota_nodes (
  node uuid PRIMARY KEY,
  -- Everything that the node accepted before this epoch is in quota_log.
  epoch integer NOT NULL,
  reaches_redis boolean NOT NULL,
  seen_at timestamptz NOT NULL
);

-- When requests were accepted, in microseconds.
CREATE TABLE quota_log (
  subject text PRIMARY KEY,
  accepted bigint[] NOT NULL
);

CREATE FUNCTION quota_clock() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;

-- Registers a node and tells it where to count. The lock makes a change of the place wait, so that the change sees the node.
CREATE FUNCTION confirm_quota_node(this uuid, reaches boolean) RETURNS quota_counting LANGUAGE plpgsql AS $$
DECLARE
  counting quota_counting;
BEGIN
  SELECT * INTO counting FROM quota_counting FOR SHARE;
  INSERT INTO quota_nodes (node, epoch, reaches_redis, seen_at) VALUES (this, counting.epoch, reaches, clock_timestamp())
    ON CONFLICT (node) DO UPDATE SET reaches_redis = excluded.reaches_redis, seen_at = excluded.seen_at;
  RETURN counting;
END $$;

-- Until when a node that has not reported may have requests in the window that nobody else knows of. `validity` is how long a
-- node trusts a confirmation.
CREATE FUNCTION quotas_unknown_until(counting quota_counting, validity interval, length interval) RETURNS timestamptz
LANGUAGE sql VOLATILE AS $$
  SELECT max(least(seen_at, counting.changed_at)) + validity + length FROM quota_nodes WHERE epoch < counting.epoch
$$;

-- Takes a place in the window of a subject. `state` is accepted, refused, or moved if counting is done in Redis; pending
-- while nodes still report what they accepted there; unknown if one of them does not. `wait` is in microseconds.
CREATE FUNCTION take_quota(
  about text, most integer, length interval, validity interval,
  OUT state text, OUT remaining integer, OUT taken_at bigint, OUT wait bigint
) LANGUAGE plpgsql AS $$
DECLARE
  counting quota_counting;
  unknown_until timestamptz;
  times bigint[];
  ticks bigint := extract(epoch FROM length) * 1000000;
BEGIN
  SELECT * INTO counting FROM quota_counting FOR SHARE;
  IF counting.token IS NOT NULL THEN
    state := 'moved';
    RETURN;
  END IF;
  unknown_until := quotas_unknown_until(counting, validity, length);
  IF unknown_until > clock_timestamp() THEN
    state := CASE WHEN clock_timestamp() < counting.changed_at + validity THEN 'pending' ELSE 'unknown' END;
    wait := extract(epoch FROM unknown_until - clock_timestamp()) * 1000000;
    RETURN;
  END IF;
  INSERT INTO quota_log (subject, accepted) VALUES (about, '{}') ON CONFLICT DO NOTHING;
  SELECT accepted INTO times FROM quota_log WHERE subject = about FOR UPDATE;
  taken_at := quota_clock();
  times := ARRAY(SELECT t FROM unnest(times) AS t WHERE t > taken_at - ticks ORDER BY t);
  remaining := most - cardinality(times) - 1;
  IF remaining < 0 THEN
    state := 'refused';
    wait := times[cardinality(times) - most + 1] + ticks - taken_at;
    RETURN;
  END IF;
  UPDATE quota_log SET accepted = times || taken_at WHERE subject = about;
  state := 'accepted';
END $$;
