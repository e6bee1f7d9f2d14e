-- Buttons and selects of bots' messages.
ALTER TABLE messages ADD COLUMN components jsonb;

-- As with cards: also if a previous release deletes the message.
CREATE OR REPLACE FUNCTION clear_cards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.cards := NULL;
  NEW.components := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER messages_components BEFORE UPDATE OF deleted_at ON messages
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND NEW.components IS NOT NULL) EXECUTE FUNCTION clear_cards();
