-- What people need to follow conversations: what they have read, where they were mentioned, search, and who is online.

-- What an event carries for people's portals beside what bots are told, as JSON; null: nothing more.
ALTER TABLE events ADD COLUMN shown text;

-- The lowest id that a message of that moment can have: ids begin with their milliseconds.
CREATE FUNCTION first_id_at(instant timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT (lpad(to_hex((extract(epoch FROM instant) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$;

-- What a member has read of a room, and whether they want to hear of it. No row: nothing since they joined.
CREATE TABLE member_rooms (
  account_id uuid NOT NULL,
  room_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  -- Messages up to this id are read. It need not be one that still exists.
  read_up_to uuid,
  muted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, room_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX member_rooms_room ON member_rooms (room_id);
CREATE INDEX member_rooms_member ON member_rooms (channel_id, account_id);

-- Messages that name a person who has not read them yet: what is read is removed, so the count stays small.
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

-- The words of a message, and its channel as one more: a search looks at one channel's postings only. This
-- configuration stems Latin words as English and Cyrillic ones as Russian.
CREATE FUNCTION search_words(channel_id uuid, text text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT to_tsvector('pg_catalog.russian', text) || array_to_tsvector(ARRAY['channel:' || channel_id]) $$;
CREATE INDEX messages_search ON messages USING gin (search_words(channel_id, text)) WHERE deleted_at IS NULL;

-- The programs that serve this portal. One that has not been heard of for a while is gone, with all who were
-- connected to it.
CREATE TABLE processes (
  id uuid PRIMARY KEY,
  heard_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNLOGGED TABLE presences (
  process_id uuid NOT NULL,
  account_id uuid NOT NULL,
  PRIMARY KEY (process_id, account_id)
);
CREATE INDEX presences_account ON presences (account_id);
