-- Entries are listed by id. The database's clock is the only one that all nodes of a cluster share.
ALTER TABLE audit_log ALTER COLUMN id SET DEFAULT
  event_subject_id((date_part('epoch', clock_timestamp()) * 1000000)::bigint, gen_random_uuid()::text);
