-- By default a table is vacuumed when a fifth of it has changed. Of a log with a hundred million rows that is never, and each vacuum is
-- long. These are appended to and trimmed at the other end, so a small share is enough.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
