-- When the last backup was completed, for the health page, the metrics and their alerts.
ALTER TABLE instance ADD COLUMN last_backup_at timestamptz;
