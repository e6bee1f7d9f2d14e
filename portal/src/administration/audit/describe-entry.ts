import type { AuditEntry } from '@portico/contract'
import { isChange } from '#audit/describe-change.ts'
import { m } from '#paraglide/messages.js'

type Tell = (who: { actor: string; target: string }) => string

const SENTENCES: Readonly<Record<string, Tell>> = {
  'account.deleted': m.admin_did_account_deleted,
  'account.password_set': m.admin_did_account_password_set,
  'account.signed_out': m.admin_did_account_signed_out,
  'administrator.created': m.admin_did_administrator_created,
  'application.created': m.admin_did_application_created,
  'application.deleted': m.admin_did_application_deleted,
  'application.limits_changed': m.admin_did_application_limits_changed,
  'application.picture_removed': m.admin_did_application_picture_removed,
  'application.picture_set': m.admin_did_application_picture_set,
  'application.updated': m.admin_did_application_updated,
  'channel.deleted': m.admin_did_channel_deleted,
  'channel.transferred': m.admin_did_channel_transferred,
  'instance.updated': m.admin_did_instance_updated,
  'key.issued': m.admin_did_key_issued,
  'key.reissued': m.admin_did_key_reissued,
  'key.revoked': m.admin_did_key_revoked,
  'oauth.connected': m.admin_did_oauth_connected,
  'oauth.revoked': m.admin_did_oauth_revoked,
  'oauth.secret_reissued': m.admin_did_oauth_secret_reissued,
  'oauth.updated': m.admin_did_oauth_updated,
  'webhook.created': m.admin_did_webhook_created,
  'webhook.deleted': m.admin_did_webhook_deleted,
  'webhook.turned_off': m.admin_did_webhook_turned_off,
  'webhook.updated': m.admin_did_webhook_updated,
}

/** Who did what to whom, in a sentence. An action that this page does not know yet is named as the log names it. */
export function tellEntry(entry: AuditEntry): string {
  const { action, actor, targetName } = entry
  const who = { actor: actor?.name ?? m.audit_system(), target: targetName ?? '' }
  const tell = action === 'account.updated' ? accountUpdated(entry) : SENTENCES[action]
  return tell?.(who) ?? m.audit_other({ actor: who.actor, action })
}

function accountUpdated({ actor, targetId, details: { isAdministrator, disabled } }: AuditEntry): Tell {
  if (isChange(isAdministrator) && isChange(disabled)) return m.admin_did_account_updated
  if (isChange(disabled)) return disabled.to === true ? m.admin_did_account_disabled : m.admin_did_account_enabled
  if (!isChange(isAdministrator)) return m.admin_did_account_updated
  if (isAdministrator.to === true) return m.admin_did_account_promoted
  return actor?.id === targetId ? m.admin_did_account_stepped_down : m.admin_did_account_demoted
}
