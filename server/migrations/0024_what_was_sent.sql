-- What each attempt sent, as it was sent: shown to the owner, who compares it with what the receiver got.
ALTER TABLE delivery_attempts ADD COLUMN url text, ADD COLUMN headers json;

-- Off because no key of the application has the scope `events`, and on again with it; never because of failures.
ALTER TABLE webhooks ADD COLUMN paused boolean NOT NULL DEFAULT false;
UPDATE webhooks SET paused = true, last_error = NULL, turned_off_at = NULL WHERE NOT active AND failed_streak = 0;
ALTER TABLE webhooks ADD CONSTRAINT webhooks_paused_is_off CHECK (NOT (paused AND active));
