-- Events held while a webhook is paused are sent when it resumes: throttled, and before newer events of their rooms.

-- Events up to here passed during a pause. The cursor stays where the pause began.
ALTER TABLE webhooks ADD COLUMN resumed_to_seq bigint NOT NULL DEFAULT 0;

ALTER TABLE deliveries ADD COLUMN resumed boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_resumed ON deliveries (application_id, lane, seq)
  WHERE state = 'pending' AND attempts = attempts_before AND resumed;
