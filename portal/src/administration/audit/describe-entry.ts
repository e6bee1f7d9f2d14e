import type { AuditEntry } from '@portico/contract'
import { isChange } from '#audit/describe-change.ts'
import { m } from '#paraglide/messages.js'

type Tell = (who: { actor: string; target: string }) => string

const SENTENCES: Readonly<Record<string, Tell>> = {
  'account.deleted': m.administration_audit_account_deleted,
  'account.password_reset': m.administration_audit_account_password_reset,
  'account.password_set': m.administration_audit_account_password_set,
  'account.reset_link_created': m.administration_audit_account_reset_link_created,
  'account.signed_out': m.administration_audit_account_signed_out,
  'administrator.created': m.administration_audit_administrator_created,
  'application.created': m.administration_audit_application_created,
  'application.deleted': m.administration_audit_application_deleted,
  'application.limits_changed': m.administration_audit_application_limits_changed,
  'application.picture_removed': m.administration_audit_application_picture_removed,
  'application.picture_set': m.administration_audit_application_picture_set,
  'application.updated': m.administration_audit_application_updated,
  'channel.deleted': m.administration_audit_channel_deleted,
  'channel.transferred': m.administration_audit_channel_transferred,
  'instance.updated': m.administration_audit_instance_updated,
  'key.issued': m.administration_audit_key_issued,
  'key.reissued': m.administration_audit_key_reissued,
  'key.revoked': m.administration_audit_key_revoked,
  'oauth.connected': m.administration_audit_oauth_connected,
  'oauth.revoked': m.administration_audit_oauth_revoked,
  'oauth.secret_reissued': m.administration_audit_oauth_secret_reissued,
  'oauth.updated': m.administration_audit_oauth_updated,
  'webhook.created': m.administration_audit_webhook_created,
  'webhook.deleted': m.administration_audit_webhook_deleted,
  'webhook.turned_off': m.administration_audit_webhook_turned_off,
  'webhook.updated': m.administration_audit_webhook_updated,
}

/** The entry as a sentence. An unknown action is shown under its name in the log. */
export function describeEntry(entry: AuditEntry): string {
  const { action, actor, targetName } = entry
  const who = { actor: actor?.name ?? m.audit_system(), target: targetName ?? '' }
  const sentence = action === 'account.updated' ? accountUpdated(entry) : SENTENCES[action]
  return sentence?.(who) ?? m.audit_other({ actor: who.actor, action })
}

function accountUpdated({ actor, targetId, details: { isAdministrator, disabled } }: AuditEntry): Tell {
  if (isChange(isAdministrator) && isChange(disabled)) return m.administration_audit_account_updated
  if (isChange(disabled))
    return disabled.to === true ? m.administration_audit_account_disabled : m.administration_audit_account_enabled
  if (!isChange(isAdministrator)) return m.administration_audit_account_updated
  if (isAdministrator.to === true) return m.administration_audit_account_promoted
  return actor?.id === targetId ? m.administration_audit_account_stepped_down : m.administration_audit_account_demoted
}
