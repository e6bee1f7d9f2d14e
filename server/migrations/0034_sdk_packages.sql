-- The packages of the SDK that were downloaded here: lockfiles contain their addresses and checksums, also after an upgrade.
CREATE TABLE sdk_packages (
  name text PRIMARY KEY,
  content bytea NOT NULL,
  first_downloaded_at timestamptz NOT NULL DEFAULT now()
);
