-- What a portal needs when its tables are large: every reference and every sweep finds its rows by an index, and a room
-- goes at once, however much was said in it.

-- Who administers the portal is asked whenever a page is opened.
CREATE INDEX accounts_administrators ON accounts (id) WHERE is_administrator;
CREATE INDEX kicks_account ON kicks (account_id);
CREATE INDEX kept_mutes_account ON kept_mutes (account_id);
CREATE INDEX invitations_creator ON invitations (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX rooms_category ON rooms (category_id) WHERE category_id IS NOT NULL;

-- History by room, without stepping over deleted messages; and all messages of a room, deleted or not.
DROP INDEX messages_history;
CREATE INDEX messages_history ON messages (room_id, (deleted_at IS NULL), id DESC);

-- Rooms that were deleted and whose messages have yet to go. Deleting them together with the room, as a foreign key would,
-- takes minutes where there are millions; src/rooms/remove-messages.ts does it in small pieces. Until then nothing shows
-- them: messages are read by way of their room.
CREATE TABLE removed_rooms (
  room_id uuid PRIMARY KEY
);

CREATE FUNCTION note_removed_rooms() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO removed_rooms SELECT id FROM removed WHERE type <> 'voice';
  RETURN NULL;
END $$;
CREATE TRIGGER rooms_removed AFTER DELETE ON rooms
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION note_removed_rooms();

-- The other half of the foreign key that this replaces: the room is there, and stays until the transaction ends.
ALTER TABLE messages DROP CONSTRAINT messages_channel_id_room_id_fkey;
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
