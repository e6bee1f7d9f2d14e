-- Messages, reactions and pins, search, what people have read, and the responses to repeated requests.

CREATE TABLE messages (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL,
  room_id uuid NOT NULL,
  author_id uuid NOT NULL REFERENCES accounts,
  text text NOT NULL,
  reply_to_id uuid,
  created_at timestamptz NOT NULL,
  edited_at timestamptz,
  pinned_at timestamptz,
  -- A deleted message remains without its text, so that its id still works as a cursor.
  deleted_at timestamptz,
  CHECK (deleted_at IS NULL OR text = '')
);
-- History by room without stepping over deleted messages, and all messages of a room, deleted or not.
CREATE INDEX messages_history ON messages (room_id, (deleted_at IS NULL), id DESC);
CREATE INDEX messages_pins ON messages (room_id, pinned_at DESC) WHERE pinned_at IS NOT NULL AND deleted_at IS NULL;
-- For the export of a person's data.
CREATE INDEX messages_author ON messages (author_id, id);

-- Rooms that were deleted and whose messages have yet to be removed. A cascading foreign key would take minutes for
-- millions of messages; src/rooms/remove-messages.ts removes them in small batches. Until then nothing shows them, because
-- messages are always read through their room.
CREATE TABLE message_removals (
  room_id uuid PRIMARY KEY
);

CREATE FUNCTION queue_message_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO message_removals SELECT id FROM removed WHERE type <> 'voice';
  RETURN NULL;
END $$;
CREATE TRIGGER rooms_removed AFTER DELETE ON rooms
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION queue_message_removal();

-- The other half of that foreign key: the room exists, and continues to until the transaction ends.
CREATE FUNCTION require_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM rooms WHERE id = NEW.room_id AND channel_id = NEW.channel_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE foreign_key_violation USING MESSAGE = 'the room of the message does not exist', TABLE = 'messages';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER messages_room BEFORE INSERT OR UPDATE OF room_id, channel_id ON messages
  FOR EACH ROW EXECUTE FUNCTION require_room();

-- Search reads messages newest first, one time slice after another, so that a common word costs no more than a rare one.
-- Besides the words of a message, the index has its channel, room and author, and the first digits of its id, which are
-- its time: slices of 17 minutes and of 3 days. Words of a text never begin with '#'. The end of an id is enough, because
-- the query compares the columns as well. This configuration stems Latin words as English and Cyrillic ones as Russian.
CREATE FUNCTION search_keys(id uuid, channel_id uuid, room_id uuid, author_id uuid, text text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT to_tsvector('pg_catalog.russian', text) || array_to_tsvector(ARRAY[
    '#c' || right(channel_id::text, 12), '#r' || right(room_id::text, 12), '#a' || right(author_id::text, 12),
    '#' || left(id::text, 5), '#' || left(id::text, 7)])
$$;
-- New messages wait in a pending list, which every search reads and which a send occasionally merges: a short list keeps
-- both fast.
CREATE INDEX messages_search ON messages USING gin (search_keys(id, channel_id, room_id, author_id, text))
  WITH (gin_pending_list_limit = 512) WHERE deleted_at IS NULL;

CREATE TABLE reactions (
  message_id uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  emoji text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, emoji, account_id)
);
CREATE INDEX reactions_account ON reactions (account_id);

-- The lowest id that a message of that moment can have: ids begin with their milliseconds.
CREATE FUNCTION first_id_at(instant timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;

-- How far a member has read a room, and whether they muted it. No row: they have read nothing since they joined.
CREATE TABLE member_rooms (
  account_id uuid NOT NULL,
  room_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  -- Messages up to this id are read. It need not exist any longer.
  read_up_to uuid,
  muted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, room_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX member_rooms_room ON member_rooms (room_id);
CREATE INDEX member_rooms_member ON member_rooms (channel_id, account_id);

-- Unread messages that mention a person. Rows are removed as they are read, so counting stays cheap.
CREATE TABLE mentions (
  account_id uuid NOT NULL,
  room_id uuid NOT NULL,
  message_id uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  channel_id uuid NOT NULL,
  PRIMARY KEY (account_id, room_id, message_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX mentions_message ON mentions (message_id);
CREATE INDEX mentions_member ON mentions (channel_id, account_id);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  answer jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
