-- Which connection receives an application's events: one at a time, whichever process it is connected to.
CREATE TABLE stream_owners (
  application_id uuid PRIMARY KEY REFERENCES applications ON DELETE CASCADE,
  -- Rises with every takeover; a connection of a lower one is closed wherever it is found.
  generation bigint NOT NULL,
  token_id uuid NOT NULL,
  client text NOT NULL,
  address text NOT NULL,
  connected_at timestamptz NOT NULL DEFAULT now(),
  disconnected_at timestamptz,
  displaced_address text,
  displaced_at timestamptz,
  -- Takeovers of the current minute: two processes that throw each other out are slowed down.
  takeovers integer NOT NULL DEFAULT 0,
  takeovers_since timestamptz NOT NULL DEFAULT now()
);

-- Tokens of displaced connections, which may not come back until they would have expired anyway.
CREATE TABLE burnt_tokens (
  token_id uuid PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX burnt_tokens_age ON burnt_tokens (expires_at);
