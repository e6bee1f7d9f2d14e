-- Bots write messages piece by piece: null for a message that was sent as a whole, or `writing`, `interrupted` or `finished`.
ALTER TABLE messages ADD COLUMN streaming text;

-- The text so far of the messages that are being written. Apart from `messages`, whose indexes would be changed with every piece.
CREATE TABLE message_streams (
  message_id uuid PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
  channel_id uuid NOT NULL,
  room_id uuid NOT NULL,
  bot_id uuid NOT NULL,
  text text NOT NULL,
  length integer NOT NULL,
  appended_at timestamptz NOT NULL DEFAULT now(),
  -- How much of it open portals have been sent, and when.
  published integer NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
CREATE INDEX message_streams_bot ON message_streams (bot_id);

-- A deleted message isn't written anymore, even if the previous release deletes it, which doesn't know of this.
CREATE FUNCTION end_deleted_stream() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM message_streams WHERE message_id = NEW.id;
  NEW.streaming := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER messages_stream BEFORE UPDATE OF deleted_at ON messages
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND NEW.streaming IS NOT NULL) EXECUTE FUNCTION end_deleted_stream();
