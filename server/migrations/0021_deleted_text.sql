-- Which message an event carries the text of, and which one it quotes. The text of a deleted message is removed from the
-- log, so that its events have to be found. The body is JSON that the program wrote: within a string, a quotation mark
-- would be escaped.
CREATE FUNCTION event_message_id(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substr(body, strpos(body, '"message":{"id":"') + 17, 36);

CREATE FUNCTION event_quoted_id(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN substr(body, nullif(strpos(body, '"replyToId":"'), 0) + 13, 36);

CREATE INDEX events_message ON events (event_message_id(body)) WHERE event IN ('message.created', 'message.updated');
CREATE INDEX events_quoted ON events (event_quoted_id(body))
  WHERE event = 'message.created' AND event_quoted_id(body) IS NOT NULL;

-- The position at which a person joined: they are told nothing from before. (Bots: installations.)
ALTER TABLE members ADD COLUMN from_seq bigint NOT NULL DEFAULT 0;

-- A change of that column decides nothing about requests.
DROP TRIGGER told ON members;
CREATE TRIGGER told AFTER DELETE OR UPDATE OF channel_id, account_id, role_id, is_bot, nickname,
  chat_muted, chat_muted_until, voice_muted, voice_muted_until ON members EXECUTE FUNCTION tell_of_change();
