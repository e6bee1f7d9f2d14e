-- Nicknames without regard to case, and by what they look like: nobody in a channel may have one that could be taken for the
-- name of another member. Both are needed: a capital I looks like an l.
CREATE INDEX members_nickname ON members (channel_id, lower(nickname)) WHERE nickname IS NOT NULL;
CREATE INDEX members_nickname_skeleton ON members (channel_id, name_skeleton(nickname)) WHERE nickname IS NOT NULL;
