-- Webhooks, and the deliveries that were made and are still to be made.

CREATE TABLE webhooks (
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  url text NOT NULL,
  -- Encrypted, because signing needs the plain secret.
  secret bytea NOT NULL,
  active boolean NOT NULL DEFAULT true,
  -- Off because no key of the application has the scope `events`, and on again with it; never because of failures.
  paused boolean NOT NULL DEFAULT false,
  failed_streak integer NOT NULL DEFAULT 0,
  last_error text,
  last_success_at timestamptz,
  -- When the current streak of failures began.
  failing_since timestamptz,
  turned_off_at timestamptz,
  -- The log has been turned into deliveries up to here.
  cursor_seq bigint NOT NULL,
  -- The process that sends for this application while its lease lasts.
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_paused_is_off CHECK (NOT (paused AND active))
);

-- Ranges of the log that passed while a webhook was off. They are replayed when its owner asks.
CREATE TABLE webhook_gaps (
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  from_seq bigint NOT NULL,
  to_seq bigint,
  PRIMARY KEY (application_id, from_seq)
);

CREATE TABLE deliveries (
  -- Sent as the delivery id with every attempt, so that receivers can recognise a repetition.
  id uuid PRIMARY KEY,
  application_id uuid NOT NULL REFERENCES applications ON DELETE CASCADE,
  -- The event's position; null for a test event.
  seq bigint,
  event text NOT NULL,
  -- First attempts are made in order within a room (or, without one, within the channel).
  lane uuid,
  body text NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'held')),
  attempts integer NOT NULL DEFAULT 0,
  -- How many of them were made before it was replayed or redelivered, which starts the retry schedule again.
  attempts_before integer NOT NULL DEFAULT 0,
  -- Replayed deliveries are throttled, so that a receiver that just came back isn't flooded.
  replayed boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz,
  first_attempt_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- An event becomes one delivery, however often the log is read.
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
  -- What was sent, exactly: owners compare it with what their receiver got.
  url text,
  headers json,
  status integer,
  error text,
  answer text,
  PRIMARY KEY (delivery_id, number)
);
