-- Messages, reactions, pins, and the answers that are given again to a repeated request.

CREATE TABLE messages (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL,
  room_id uuid NOT NULL,
  author_id uuid NOT NULL REFERENCES accounts,
  text text NOT NULL,
  reply_to_id uuid,
  created_at timestamptz NOT NULL,
  edited_at timestamptz,
  pinned_at timestamptz,
  -- A deleted message keeps its place, without its text, so that it still works as a cursor.
  deleted_at timestamptz,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE,
  CHECK (deleted_at IS NULL OR text = '')
);
CREATE INDEX messages_history ON messages (room_id, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX messages_pins ON messages (room_id, pinned_at DESC) WHERE pinned_at IS NOT NULL AND deleted_at IS NULL;

CREATE TABLE reactions (
  message_id uuid NOT NULL REFERENCES messages ON DELETE CASCADE,
  emoji text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (message_id, emoji, account_id)
);
CREATE INDEX reactions_account ON reactions (account_id);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  key text NOT NULL,
  request_hash bytea NOT NULL,
  answer jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
