-- Checklists for a new portal and a new channel, shown to those who manage them until everything is done or they hide it.
ALTER TABLE instance
  ADD COLUMN first_steps_hidden boolean NOT NULL DEFAULT false,
  ADD COLUMN voice_tried boolean NOT NULL DEFAULT false;
ALTER TABLE channels ADD COLUMN first_steps_hidden boolean NOT NULL DEFAULT false;

-- Those that exist already are not new.
UPDATE instance SET first_steps_hidden = true WHERE EXISTS (SELECT FROM accounts WHERE is_administrator);
UPDATE channels SET first_steps_hidden = true;
