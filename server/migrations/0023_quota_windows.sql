-- Quotas are counted in memory and hold across a restart: what was accepted lately is saved here every second
-- (src/quotas/window-quotas.ts), with what may have been accepted since.
CREATE TABLE quota_windows (
  subject text PRIMARY KEY,
  saved_at timestamptz NOT NULL,
  -- How many were accepted in each second before, the latest second first.
  accepted integer[] NOT NULL,
  -- How many more may be accepted before the next save.
  reserved integer NOT NULL
);

-- Whether the process that served last saved everything when it stopped.
ALTER TABLE serving_process ADD quotas_saved boolean NOT NULL DEFAULT true;
