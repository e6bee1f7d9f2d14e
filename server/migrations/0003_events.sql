-- The event log, which feeds the bots' streams, the webhooks and the portal. A row is written in the transaction of the
-- change that it describes, so neither exists without the other.
--
-- Everything that happens in a channel has one order: commits, positions, times and message ids agree. A transaction that
-- appends an event holds the channel's lock from before it gets a position until it commits, so that nothing earlier can
-- become visible later.
CREATE TABLE events (
  -- The position in the log.
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel_id uuid NOT NULL,
  room_id uuid,
  -- Who caused it: an application doesn't receive its own events.
  actor_id uuid,
  event text NOT NULL,
  audience text NOT NULL CHECK (audience IN ('bots', 'portal')),
  -- The bots that may receive it; null: all bots of the channel.
  bot_readers uuid[],
  body text NOT NULL,
  -- What people's portals receive in addition, as JSON; null: nothing.
  shown text,
  created_at timestamptz NOT NULL
);
CREATE INDEX events_channel ON events (channel_id, seq);
-- Events are written in the order of their times, so a summary per range of pages is enough.
CREATE INDEX events_age ON events USING brin (created_at) WITH (autosummarize = on);

-- The message whose text an event carries, and the message that it quotes. Deleting a message removes its text from the
-- log, so its events must be found. The program wrote the JSON: inside a string, a quotation mark would be escaped.
CREATE FUNCTION event_message_id(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substr(body, strpos(body, '"message":{"id":"') + 17, 36);

CREATE FUNCTION event_quoted_id(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substr(body, nullif(strpos(body, '"replyToId":"'), 0) + 13, 36);

CREATE INDEX events_message ON events (event_message_id(body)) WHERE event IN ('message.created', 'message.updated');
CREATE INDEX events_quoted ON events (event_quoted_id(body))
  WHERE event = 'message.created' AND event_quoted_id(body) IS NOT NULL;

-- The highest position of a channel that was trimmed: a reader that asks from below it has missed something.
CREATE TABLE event_trims (
  channel_id uuid PRIMARY KEY REFERENCES channels ON DELETE CASCADE,
  seq bigint NOT NULL
);

-- The range of positions during which a bot was installed in a channel: it receives nothing from before or after.
CREATE TABLE installations (
  bot_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  to_seq bigint,
  PRIMARY KEY (bot_id, channel_id, from_seq)
);
CREATE UNIQUE INDEX installations_now ON installations (channel_id, bot_id) WHERE to_seq IS NULL;
-- Bots that have left included: their webhooks may still have events to deliver.
CREATE INDEX installations_channel ON installations (channel_id, bot_id);

-- The lock of a channel's log. Channels share a thousand locks, so that a transaction that appends to many channels
-- doesn't fill the server's lock table. A transaction that needs several takes them in numeric order.
CREATE FUNCTION event_lock(channel uuid) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT hashtext(channel::text) & 1023 $$;

-- Takes the locks of several channels. From then on the transaction waits for any other lock at most this long (in
-- milliseconds; null: no limit of its own), because a transaction that holds a channel's log must not wait for one that
-- wants it.
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

-- Fails after a deadline by this server's clock. Statements that wait in the socket of a stopped server run when it
-- resumes, although the client has given up: called last before the commit, this rolls them back.
CREATE FUNCTION require_in_time(deadline timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  now timestamptz := clock_timestamp();
BEGIN
  IF now > deadline THEN
    RAISE EXCEPTION 'the deadline of the request has passed' USING ERRCODE = 'POR02';
  END IF;
  RETURN now;
END $$;

-- A version 7 UUID: the milliseconds, the fraction of the millisecond in 12 bits (a microsecond is four of them) and the
-- last 62 bits of a random UUID.
CREATE FUNCTION event_subject_id(microseconds bigint, random text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT (lpad(to_hex(microseconds / 1000), 12, '0') || '7' || lpad(to_hex(microseconds % 1000 * 4096 / 1000), 3, '0')
    || substr(random, 20))::uuid
$$;

-- The bots that may receive an event, as events.bot_readers stores them: null for all bots of the channel, otherwise a
-- list. What is said in a room is for the bots that may read it there, by the same rule as `rightsOf` in the contract.
-- `to_admitted`: bots that a private room admits receive it as well. A room that no longer exists has no readers.
CREATE FUNCTION event_bot_readers(channel uuid, room uuid, to_admitted boolean) RETURNS uuid[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  is_private boolean;
  is_open boolean;
BEGIN
  IF room IS NULL THEN
    RETURN NULL;
  END IF;
  -- Nearly every room is readable by every bot, which one query determines.
  SELECT o.private, NOT o.private AND (NOT to_admitted OR (
      NOT EXISTS (SELECT FROM room_overrides v WHERE v.room_id = o.id AND 'read_text_room' = ANY (v.deny))
      AND NOT EXISTS (SELECT FROM roles r
        WHERE r.channel_id = channel AND r.system_name <> 'CUSTOM' AND NOT 'read_text_room' = ANY (r.rights))))
    INTO is_private, is_open FROM rooms o WHERE o.id = room;
  IF is_open THEN
    RETURN NULL;
  END IF;
  IF is_private IS NULL OR NOT to_admitted THEN
    RETURN '{}';
  END IF;
  RETURN ARRAY(
    SELECT m.account_id
    FROM members m
    CROSS JOIN LATERAL (
      SELECT array_agg(id) AS ids FROM (
        SELECT m.role_id AS id
        UNION ALL SELECT g.role_id FROM member_roles g WHERE g.channel_id = m.channel_id AND g.account_id = m.account_id
      ) roles
    ) role
    WHERE m.channel_id = channel AND m.is_bot
      AND (NOT is_private OR EXISTS (
        SELECT FROM room_admissions a
        WHERE a.room_id = room AND (a.account_id = m.account_id OR a.role_id = ANY (role.ids))))
      -- The override of the highest role wins; without one, any role that has the right is enough.
      AND coalesce(
        (SELECT NOT 'read_text_room' = ANY (v.deny) FROM room_overrides v JOIN roles r ON r.id = v.role_id
          WHERE v.room_id = room AND v.role_id = ANY (role.ids)
            AND ('read_text_room' = ANY (v.allow) OR 'read_text_room' = ANY (v.deny))
          ORDER BY r.rank DESC LIMIT 1),
        EXISTS (SELECT FROM roles r WHERE r.id = ANY (role.ids) AND 'read_text_room' = ANY (r.rights))));
END $$;

-- The next positions in the logs of channels, one for each element of the arrays: the position, its time (also in the format
-- of JSON), an id for what the event describes (null without a random UUID), and the bots that may receive the event, which
-- the setting named in `audiences` can store. The events of a channel are next to each other. Times, and with them ids,
-- increase within a channel even when the clock is set back. The queries of a volatile function see what was committed
-- while it waited for the lock. `locked` is unused: evaluating it first is how a statement locks the rows that it refers to
-- before the log.
CREATE FUNCTION next_event_positions(
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
      SELECT e.created_at INTO at FROM events e WHERE e.channel_id = channel ORDER BY e.seq DESC LIMIT 1;
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

-- Whether a bot may read a room now: it is installed in the channel, and would receive a message sent there.
CREATE FUNCTION bot_can_read(bot uuid, channel uuid, room uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM members m WHERE m.channel_id = channel AND m.account_id = bot)
    AND coalesce(bot = ANY (event_bot_readers(channel, room, true)), true)
$$;
