-- Bans, and why and by whom members were removed or muted: people are shown what was done to them.

CREATE TABLE bans (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The channel's name at that time: later names are for its members.
  channel_name text NOT NULL,
  reason text,
  banned_by uuid REFERENCES accounts ON DELETE SET NULL,
  banned_at timestamptz NOT NULL DEFAULT now(),
  -- Null: until it is lifted. Expired rows are deleted every hour.
  banned_until timestamptz,
  UNIQUE (channel_id, account_id)
);
CREATE INDEX bans_channel ON bans (channel_id, id);
CREATE INDEX bans_account ON bans (account_id);
CREATE INDEX bans_author ON bans (banned_by) WHERE banned_by IS NOT NULL;
CREATE INDEX bans_end ON bans (banned_until) WHERE banned_until IS NOT NULL;

ALTER TABLE channels ADD COLUMN show_moderators boolean NOT NULL DEFAULT true;

ALTER TABLE kicks
  ADD COLUMN channel_name text,
  ADD COLUMN reason text,
  ADD COLUMN kicked_by uuid REFERENCES accounts ON DELETE SET NULL;
CREATE INDEX kicks_author ON kicks (kicked_by) WHERE kicked_by IS NOT NULL;
UPDATE kicks k SET channel_name = c.name FROM channels c WHERE c.id = k.channel_id;

-- Without a foreign key: the table is large, and an author who no longer exists is just not named.
ALTER TABLE members
  ADD COLUMN chat_mute_reason text,
  ADD COLUMN chat_muted_by uuid,
  ADD COLUMN voice_mute_reason text,
  ADD COLUMN voice_muted_by uuid;
ALTER TABLE saved_mutes
  ADD COLUMN chat_mute_reason text,
  ADD COLUMN chat_muted_by uuid,
  ADD COLUMN voice_mute_reason text,
  ADD COLUMN voice_muted_by uuid;
