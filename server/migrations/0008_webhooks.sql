-- Webhooks, what was sent to them and what is still to be sent.

CREATE TABLE webhooks (
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  url text NOT NULL,
  -- Encrypted: it must be read to sign with.
  secret bytea NOT NULL,
  active boolean NOT NULL DEFAULT true,
  failed_streak integer NOT NULL DEFAULT 0,
  last_error text,
  last_success_at timestamptz,
  -- When the current row of failures began.
  failing_since timestamptz,
  turned_off_at timestamptz,
  -- Up to here the log has become deliveries.
  cursor_seq bigint NOT NULL,
  -- The process that sends for this application, as long as its lease lasts.
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Stretches of the log that passed while a webhook was off: they are replayed when its owner asks.
CREATE TABLE webhook_gaps (
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  to_seq bigint,
  PRIMARY KEY (application_id, from_seq)
);

CREATE TABLE deliveries (
  -- Sent as the delivery id with every attempt, so that receivers can tell a repetition.
  id uuid PRIMARY KEY,
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  -- The event's position; null for a test event.
  seq bigint,
  event text NOT NULL,
  -- First attempts go out in order within a room (or, without one, within the channel).
  lane uuid,
  body text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'held')),
  attempts integer NOT NULL DEFAULT 0,
  -- How many of them were made before it was replayed or redelivered: the pauses begin anew then.
  attempts_before integer NOT NULL DEFAULT 0,
  -- Held for a while: sent at a measured pace, so that a receiver that just came back is not flooded.
  replayed boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz,
  first_attempt_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- An event becomes one delivery, however often the log is gone through.
  UNIQUE (application_id, seq),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE INDEX deliveries_due ON deliveries (application_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_new ON deliveries (application_id, seq) WHERE state = 'pending' AND attempts = attempts_before;
CREATE INDEX deliveries_list ON deliveries (application_id, created_at DESC, id DESC);

CREATE TABLE delivery_attempts (
  delivery_id uuid NOT NULL REFERENCES deliveries ON DELETE CASCADE,
  number integer NOT NULL,
  at timestamptz NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error text,
  answer text,
  PRIMARY KEY (delivery_id, number)
);
