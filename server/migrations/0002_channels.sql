-- Channels with their rooms, roles, members and invitations, uploaded pictures, and the audit log.

CREATE TABLE channels (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  description text,
  image text NOT NULL,
  avatar_version integer NOT NULL DEFAULT 1,
  open boolean NOT NULL DEFAULT false,
  owner_id uuid NOT NULL REFERENCES accounts,
  -- Maintained by a trigger, so that listing members doesn't count them.
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
CREATE INDEX rooms_category ON rooms (category_id) WHERE category_id IS NOT NULL;

CREATE TABLE roles (
  id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  system_name text NOT NULL CHECK (system_name IN
    ('CHANNEL_OWNER', 'CHANNEL_ADMIN', 'CHANNEL_MODERATOR', 'CHANNEL_MEMBER', 'CHANNEL_BOT', 'CUSTOM')),
  name text NOT NULL,
  rank integer NOT NULL,
  rights text[] NOT NULL,
  UNIQUE (channel_id, id),
  -- With two roles of the same rank, "the highest role" would be arbitrary.
  CONSTRAINT roles_rank UNIQUE (channel_id, rank) DEFERRABLE INITIALLY IMMEDIATE
);
CREATE UNIQUE INDEX roles_system ON roles (channel_id, system_name) WHERE system_name <> 'CUSTOM';

CREATE TABLE members (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  -- The one system role; custom roles are in member_roles.
  role_id uuid NOT NULL,
  -- A copy of the account's kind, so that an index finds the few bots of a large channel.
  is_bot boolean NOT NULL DEFAULT false,
  nickname text,
  -- What members are sorted and searched by: the displayed name, and the account name where a nickname hides it. Both are
  -- maintained by triggers and compared by bytes, so that the order is the same on every machine and in every library
  -- version.
  sort_name text COLLATE "C" NOT NULL DEFAULT '',
  hidden_name text COLLATE "C",
  chat_muted boolean NOT NULL DEFAULT false,
  chat_muted_until timestamptz,
  voice_muted boolean NOT NULL DEFAULT false,
  voice_muted_until timestamptz,
  joined_at timestamptz NOT NULL DEFAULT now(),
  -- The position in the event log at which a person joined: they receive nothing from before. (Bots: installations.)
  from_seq bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (channel_id, account_id),
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id)
);
CREATE INDEX members_account ON members (account_id);
CREATE INDEX members_role ON members (role_id);
CREATE INDEX members_bots ON members (channel_id, account_id) WHERE is_bot;
CREATE INDEX members_sort_name ON members (channel_id, sort_name, account_id) INCLUDE (hidden_name);

-- Runs once per statement, not per row: a channel with ten thousand members is deleted in one update.
CREATE FUNCTION update_member_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE channels c SET member_count = c.member_count + CASE TG_OP WHEN 'INSERT' THEN changed.count ELSE -changed.count END
  FROM (SELECT channel_id, count(*) FROM changed_members GROUP BY channel_id) changed
  WHERE c.id = changed.channel_id;
  RETURN NULL;
END $$;
CREATE TRIGGER members_added AFTER INSERT ON members
  REFERENCING NEW TABLE AS changed_members FOR EACH STATEMENT EXECUTE FUNCTION update_member_count();
CREATE TRIGGER members_removed AFTER DELETE ON members
  REFERENCING OLD TABLE AS changed_members FOR EACH STATEMENT EXECUTE FUNCTION update_member_count();

-- The sort key of a name: ignores case and accents, Latin before Cyrillic. Letters that Unicode decomposes into a base
-- and a mark, but that are letters of their own in an alphabet, sort right after their neighbour.
CREATE FUNCTION sort_name(name text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  letters text := normalize(lower(name), NFKD);
  own constant text[] := ARRAY[['г', 'ґ'], ['е', 'є'], ['и', 'і'], ['у', 'ў']];
BEGIN
  letters := replace(replace(letters, 'и' || U&'\0306', 'й'), 'у' || U&'\0306', 'ў');
  letters := replace(letters, 'і' || U&'\0308', 'і' || U&'\D7FF');
  letters := regexp_replace(letters, '[\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f]', '', 'g');
  FOR i IN 1 .. array_length(own, 1) LOOP
    letters := replace(letters, own[i][2], own[i][1] || U&'\D7FF');
  END LOOP;
  letters := translate(letters, 'øłđðħıŧ', 'olddhit');
  letters := replace(replace(replace(replace(letters, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
  RETURN left(letters, 64);
END $$;

-- Locks the account while copying its name: a concurrent rename is either finished before, or finds the member after.
CREATE FUNCTION set_member_sort_name() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  name text := coalesce((SELECT a.name FROM accounts a WHERE a.id = NEW.account_id FOR SHARE), '');
BEGIN
  NEW.sort_name := sort_name(coalesce(NEW.nickname, name));
  NEW.hidden_name := CASE WHEN NEW.nickname IS NOT NULL THEN sort_name(name) END;
  RETURN NEW;
END $$;
CREATE TRIGGER members_named BEFORE INSERT OR UPDATE OF nickname ON members
  FOR EACH ROW EXECUTE FUNCTION set_member_sort_name();

CREATE FUNCTION update_member_sort_names() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sorted text := sort_name(NEW.name);
BEGIN
  UPDATE members SET
    sort_name = CASE WHEN nickname IS NULL THEN sorted ELSE sort_name END,
    hidden_name = CASE WHEN nickname IS NOT NULL THEN sorted END
  WHERE account_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_named AFTER UPDATE OF name ON accounts
  FOR EACH ROW WHEN (NEW.name <> OLD.name) EXECUTE FUNCTION update_member_sort_names();

CREATE TABLE member_roles (
  channel_id uuid NOT NULL,
  account_id uuid NOT NULL,
  role_id uuid NOT NULL,
  PRIMARY KEY (channel_id, account_id, role_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE,
  FOREIGN KEY (channel_id, role_id) REFERENCES roles (channel_id, id) ON DELETE CASCADE
);
CREATE INDEX member_roles_role ON member_roles (role_id);

-- People who were kicked can come back by invitation only, even to an open channel.
CREATE TABLE kicks (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  kicked_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (channel_id, account_id)
);
CREATE INDEX kicks_account ON kicks (account_id);

-- Mutes of people who left a channel: leaving and coming back doesn't remove a mute.
CREATE TABLE saved_mutes (
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  chat_muted boolean NOT NULL,
  chat_muted_until timestamptz,
  voice_muted boolean NOT NULL,
  voice_muted_until timestamptz,
  PRIMARY KEY (channel_id, account_id)
);
CREATE INDEX saved_mutes_account ON saved_mutes (account_id);

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

-- The roles and members that a private room admits.
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
CREATE INDEX invitations_creator ON invitations (created_by) WHERE created_by IS NOT NULL;

-- Stored in the database, so that a backup contains them.
CREATE TABLE pictures (
  account_id uuid UNIQUE REFERENCES accounts ON DELETE CASCADE,
  channel_id uuid UNIQUE REFERENCES channels ON DELETE CASCADE,
  webp bytea NOT NULL,
  CHECK (num_nonnulls(account_id, channel_id) = 1)
);
-- WebP is compressed already.
ALTER TABLE pictures ALTER COLUMN webp SET STORAGE EXTERNAL;

-- Stores names as they were, so that an entry stays readable after its actor or target is gone.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  channel_id uuid REFERENCES channels ON DELETE CASCADE,
  action text NOT NULL,
  actor_id uuid,
  actor_name text,
  target_id uuid,
  target_name text,
  -- The rooms that the entry names. It is shown only to people who can see all of them.
  room_ids uuid[] NOT NULL DEFAULT '{}',
  reason text,
  details jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_log_channel ON audit_log (channel_id, id DESC);
CREATE INDEX audit_log_instance ON audit_log (id DESC) WHERE channel_id IS NULL;
CREATE INDEX audit_log_age ON audit_log (created_at);

-- The roles and accounts that could see a private room when it was deleted. They can still see its audit entries.
CREATE TABLE deleted_private_rooms (
  room_id uuid PRIMARY KEY,
  channel_id uuid NOT NULL REFERENCES channels ON DELETE CASCADE,
  admitted uuid[] NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deleted_private_rooms_channel ON deleted_private_rooms (channel_id);
CREATE INDEX deleted_private_rooms_age ON deleted_private_rooms (deleted_at);
