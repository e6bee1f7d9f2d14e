-- Events that only applications receive that ask for them.
-- needs: 0016

-- `opt_in`: for bots that ask for this kind of event. Existing rows have one of the other two.
ALTER TABLE events DROP CONSTRAINT events_audience_check,
  ADD CONSTRAINT events_audience_check CHECK (audience IN ('bots', 'portal', 'opt_in')) NOT VALID;

-- The kinds that the application named, which are all that it is sent; null: those for bots that ask for nothing.
ALTER TABLE webhooks ADD COLUMN kinds text[];
ALTER TABLE stream_owners ADD COLUMN kinds text[];

-- An application still learns that a channel was deleted when the channel's rows are gone.
ALTER TABLE installations DROP CONSTRAINT installations_channel_id_fkey;
