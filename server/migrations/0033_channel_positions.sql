-- The order in which a person wants their channels. No row: after those that have one, in the order of joining.
CREATE TABLE channel_positions (
  account_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  position integer NOT NULL,
  PRIMARY KEY (channel_id, account_id),
  FOREIGN KEY (channel_id, account_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX channel_positions_account ON channel_positions (account_id);
