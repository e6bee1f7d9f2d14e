-- Whose webhooks may wait for something that happened on a channel, those that have left it among them.
CREATE INDEX installations_channel ON installations (channel_id, bot_id);
