-- Channels with their rooms, roles, members and invitations, and the audit log.

CREATE TABLE channels (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  image text NOT NULL,
  avatar_version integer NOT NULL DEFAULT 1,
  open boolean NOT NULL DEFAULT false,
  owner_id uuid NOT NULL REFERENCES accounts,
  -- Kept by a trigger, so that no list of members has to count them.
  member_count integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX channels_owner ON channels (owner_id);
CREATE INDEX channels_open ON channels (name, id) WHERE open;

CREATE TABLE categories (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  name text NOT NULL,
  sort integer NOT NULL,
  UNIQUE (channel_id, id)
);

CREATE TABLE rooms (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  category_id uuid,
  type text NOT NULL CHECK (type IN ('text', 'voice', 'stream')),
  name text NOT NULL,
  topic text,
  private boolean NOT NULL DEFAULT false,
  user_limit integer CHECK (user_limit > 0),
  sort integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (channel_id, id),
  FOREIGN KEY (channel_id, category_id) REFERENCES categories (channel_id, id) ON DELETE SET NULL (category_id),
  CHECK (user_limit IS NULL OR type = 'voice')
);

CREATE TABLE roles (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  system_name text NOT NULL CHECK (system_name IN
    ('CHANNEL_OWNER', 'CHANNEL_ADMIN', 'CHANNEL_MODERATOR', 'CHANNEL_MEMBER', 'CHANNEL_BOT', 'CUSTOM')),
  name text NOT NULL,
  rank integer NOT NULL,
  rights text[] NOT NULL,
  UNIQUE (channel_id, id),
  -- Two roles of one rank would make "the highest role" a matter of luck.
  CONSTRAINT roles_rank UNIQUE (channel_id, rank) DEFERRABLE INITIALLY IMMEDIATE
);
CREATE UNIQUE INDEX roles_system ON roles (channel_id, system_name) WHERE system_name <> 'CUSTOM';

CREATE TABLE members (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The one system role; further ones are in member_roles.
  role_id uuid NOT NULL,
  -- As the account's kind, kept here so that the few bots of a large channel are found at once.
  is_bot boolean NOT NULL DEFAULT false,
  nickname text,
  chat_muted boolean NOT NULL DEFAULT false,
  chat_muted_until timestamptz,
  voice_muted boolean NOT NULL DEFAULT false,
  voice_muted_until timestamptz,
  joined_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel_id, account_id),
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id)
);
CREATE INDEX members_account ON members (account_id);
CREATE INDEX members_role ON members (role_id);
CREATE INDEX members_bots ON members (channel_id, account_id) WHERE is_bot;

-- Once per statement, not per row: a channel of ten thousand is deleted in one go.
CREATE FUNCTION count_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE channels c SET member_count = c.member_count + CASE TG_OP WHEN 'INSERT' THEN changed.count ELSE -changed.count END
  FROM (SELECT channel_id, count(*) FROM changed_members GROUP BY channel_id) changed
  WHERE c.id = changed.channel_id;
  RETURN NULL;
END $$;
CREATE TRIGGER members_added AFTER INSERT ON members
  REFERENCING NEW TABLE AS changed_members FOR EACH STATEMENT EXECUTE FUNCTION count_members();
CREATE TRIGGER members_removed AFTER DELETE ON members
  REFERENCING OLD TABLE AS changed_members FOR EACH STATEMENT EXECUTE FUNCTION count_members();

CREATE TABLE member_roles (
  channel_id uuid NOT NULL,
  account_id uuid NOT NULL,
  role_id uuid NOT NULL,
  PRIMARY KEY (channel_id, account_id, role_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX member_roles_role ON member_roles (role_id);

-- People who were removed from a channel come back by invitation only, also where it is open.
CREATE TABLE kicks (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kicked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel_id, account_id)
);

-- A mute outlasts membership: nobody sheds it by leaving and coming back.
CREATE TABLE kept_mutes (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  chat_muted boolean NOT NULL,
  chat_muted_until timestamptz,
  voice_muted boolean NOT NULL,
  voice_muted_until timestamptz,
  PRIMARY KEY (channel_id, account_id)
);

CREATE TABLE room_overrides (
  channel_id uuid NOT NULL,
  room_id uuid NOT NULL,
  role_id uuid NOT NULL,
  allow text[] NOT NULL,
  deny text[] NOT NULL,
  PRIMARY KEY (room_id, role_id),
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE,
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id) ON DELETE CASCADE,
  CHECK (NOT allow && deny)
);
CREATE INDEX room_overrides_role ON room_overrides (role_id);

-- Whom a private room admits: a role or a member.
CREATE TABLE room_admissions (
  channel_id uuid NOT NULL,
  room_id uuid NOT NULL,
  role_id uuid,
  account_id uuid,
  FOREIGN KEY (channel_id, room_id) REFERENCES rooms (channel_id, id) ON DELETE CASCADE,
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id) ON DELETE CASCADE,
  FOREIGN KEY (channel_id, account_id) REFERENCES members (channel_id, account_id) ON DELETE CASCADE,
  CHECK ((role_id IS NULL) <> (account_id IS NULL)),
  CONSTRAINT room_admissions_once UNIQUE NULLS NOT DISTINCT (room_id, role_id, account_id)
);
CREATE INDEX room_admissions_role ON room_admissions (role_id) WHERE role_id IS NOT NULL;
CREATE INDEX room_admissions_account ON room_admissions (channel_id, account_id) WHERE account_id IS NOT NULL;

CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  code text NOT NULL UNIQUE,
  created_by uuid REFERENCES accounts ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  max_uses integer CHECK (max_uses > 0),
  uses integer NOT NULL DEFAULT 0,
  CHECK (max_uses IS NULL OR uses <= max_uses)
);
CREATE INDEX invitations_channel ON invitations (channel_id, id);

-- Names are kept as they were: an entry still reads well after its actor or target is gone.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  channel_id uuid REFERENCES channels ON DELETE CASCADE,
  action text NOT NULL,
  actor_id uuid,
  actor_name text,
  target_id uuid,
  target_name text,
  reason text,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_channel ON audit_log (channel_id, id DESC);
CREATE INDEX audit_log_instance ON audit_log (id DESC) WHERE channel_id IS NULL;
CREATE INDEX audit_log_age ON audit_log (created_at);
