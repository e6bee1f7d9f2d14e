-- Options of commands; null: none.
ALTER TABLE commands ADD COLUMN options jsonb;

-- What only certain bots receive with an event: by the id of the bot, further fields of its data. Null: nothing.
ALTER TABLE events ADD COLUMN for_bots json;

-- The envelope that a bot receives. Its last field is `data`, which is never empty.
CREATE FUNCTION event_body_for(bot uuid, body text, for_bots json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN for_bots IS NULL OR for_bots -> bot::text IS NULL THEN body
  ELSE left(body, -2) || ',' || substr((for_bots -> bot::text)::text, 2) || '}' END;
