-- A channel that is being deleted: gone for everyone at once, and removed from the database in small batches
-- (src/channels/remove-channels.ts), because members, what they have read and the audit log may be hundreds of thousands of
-- rows.
ALTER TABLE channels ADD COLUMN deleted_at timestamptz;
CREATE INDEX channels_deleted ON channels (id) WHERE deleted_at IS NOT NULL;

CREATE TRIGGER access_changed_by_deletion AFTER UPDATE OF deleted_at ON channels
  EXECUTE FUNCTION announce_access_change();
