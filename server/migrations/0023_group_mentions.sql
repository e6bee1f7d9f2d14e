-- Messages that mention everyone in a room, or roles. One row serves all readers, however many there are.

ALTER TABLE messages
  -- The groups that the message notified: everyone, here, and ids of roles. Null: none.
  ADD COLUMN mentioned_groups text[];
CREATE INDEX messages_mentioned_groups ON messages (room_id, id)
  WHERE mentioned_groups IS NOT NULL AND deleted_at IS NULL;

-- The owner has every right anyway.
UPDATE roles SET rights = array_append(rights, 'mention_everyone')
WHERE system_name IN ('CHANNEL_OWNER', 'CHANNEL_ADMIN', 'CHANNEL_MODERATOR') AND NOT 'mention_everyone' = ANY (rights);
