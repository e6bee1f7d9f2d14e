-- Cards of bots' messages, and their words in the search.
ALTER TABLE messages ADD COLUMN cards jsonb;

-- What people read in cards.
CREATE FUNCTION card_words(cards jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(string_agg(words #>> '{}', E'\n'), '')
  FROM unnest(ARRAY[
    '$[*].title', '$[*].text', '$[*].fields[*].name', '$[*].fields[*].value', '$[*].picture.alt', '$[*].footer'
  ]::jsonpath[]) AS path, jsonb_path_query(cards, path) AS words
$$;
-- The other index stays as it is: few messages have cards.
CREATE INDEX messages_search_cards ON messages
  USING gin (search_keys(id, channel_id, room_id, author_id, text || E'\n' || card_words(cards)))
  WITH (gin_pending_list_limit = 512) WHERE deleted_at IS NULL AND cards IS NOT NULL;

-- A deleted message has no cards, even if the previous release deletes it, which doesn't know of them.
CREATE FUNCTION clear_cards() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.cards := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER messages_cards BEFORE UPDATE OF deleted_at ON messages
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND NEW.cards IS NOT NULL) EXECUTE FUNCTION clear_cards();
