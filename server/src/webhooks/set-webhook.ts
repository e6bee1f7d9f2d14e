import { api, SIGNATURE_HEADER, type SetWebhook } from '@portico/contract'
import { sql } from 'kysely'
import type { Actor } from '../operations/actor.ts'
import { lockOwnApplication } from '../applications/application.ts'
import { botOf } from '../operations/bot-of.ts'
import { refusalByScope } from '../applications/refusal-by-scope.ts'
import type { OwnTransactions } from '../operations/perform.ts'
import type { Services } from '../operations/services.ts'
import { Refusal, wrongField } from '../operations/refusal.ts'
import type { Secret } from '../secrets/secret.ts'
import { sealer } from '../secrets/secret-box.ts'
import { run, type Outcome, type Tx } from '../operations/transaction.ts'
import { blockListOf, checkUrl } from '../outbound/address-guard.ts'
import { followScope, LOG_END } from './follow-scope.ts'
import { ForbiddenHost, resolveChecked } from '../outbound/resolve.ts'
import { newWebhookSecret } from './signing.ts'
import { withTimeout } from '../outbound/with-timeout.ts'

const MOST_RESOLVING = 5000

interface Wanted {
  readonly url: string
  readonly rotateSecret?: boolean
  readonly kinds?: SetWebhook['kinds']
}

export const setWebhook: OwnTransactions<(typeof api)['setWebhook']> = {
  ownTransactions: (services, actor, input) => set(services, actor, input, applicationOfKey),
}

export const setApplicationWebhook: OwnTransactions<(typeof api)['setApplicationWebhook']> = {
  ownTransactions: (services, actor, input) =>
    set(services, actor, input, (tx) => lockOwnApplication(tx, input.applicationId)),
}

type Whose = (tx: Tx) => Promise<{ readonly id: string; readonly name: string }>

/** A DNS lookup takes seconds: a key that was re-issued or lost its scope meanwhile can no longer set the webhook. */
const applicationOfKey: Whose = async (tx) => {
  const { applicationId, name, keyHash } = botOf(tx.actor)
  const key = await tx.db
    .selectFrom('application_keys')
    .select('scopes')
    .where('key_hash', '=', keyHash)
    .forShare()
    .executeTakeFirst()
  if (!key) throw new Refusal('unauthorized', { message: 'The key was re-issued or revoked meanwhile.' })
  const refusal = refusalByScope(key.scopes, api.setWebhook)
  if (refusal) throw refusal
  return { id: applicationId, name }
}

async function set(services: Services, actor: Actor, wanted: Wanted, whose: Whose): Promise<Outcome<SetWebhook>> {
  const url = await checkedUrl(services, actor, wanted.url)
  let created = false
  const outcome = await run(services, actor, async (tx) => {
    const application = await whose(tx)
    const stored = await store(tx, services.secret, application.id, wanted)
    created = stored.created
    const { active, secret, kinds } = stored
    const details = { host: new URL(url).host, rotated: wanted.rotateSecret ?? false }
    tx.audit({ action: created ? 'webhook.created' : 'webhook.updated', target: application, details })
    const set = { url, active, signatureHeader: SIGNATURE_HEADER }
    return { ...set, ...(secret !== undefined && { secret }), ...(kinds && { kinds }) }
  })
  return { ...outcome, created }
}

/** Refused here to help the developer; the check before every connection is the real protection. */
async function checkedUrl(services: Services, actor: Actor, text: string): Promise<string> {
  const { config } = services
  const allowed = blockListOf(config.WEBHOOK_ALLOW_CIDR)
  const checked = checkUrl(text, allowed)
  if ('fault' in checked) {
    if (checked.isPrivate) throw privateAddress(services, actor, new URL(text).hostname, checked.fault)
    throw wrongField('url', checked.fault, 'webhook_address')
  }
  const resolving = resolveChecked(checked.url.hostname, allowed, config.WEBHOOK_DNS)
  try {
    await withTimeout(resolving, MOST_RESOLVING)
  } catch (error) {
    const { hostname } = checked.url
    if (error instanceof ForbiddenHost) {
      throw privateAddress(services, actor, hostname, 'must be a public address, not one in a private network')
    }
    // A public name that doesn't resolve now may resolve later.
    if (checked.isLocal) {
      throw privateAddress(services, actor, hostname, 'must be a public address, not a private network name')
    }
  }
  return text
}

/** Names the setting that would allow it to administrators, and in the log. */
function privateAddress({ log }: Services, actor: Actor, host: string, fault: string): Refusal {
  log.warn({ host, setting: 'WEBHOOK_ALLOW_CIDR' }, 'webhook refused: the address is in a private network')
  const isAdministrator = actor.kind === 'person' && actor.isAdministrator
  return isAdministrator
    ? wrongField('url', `${fault}; to allow it, set WEBHOOK_ALLOW_CIDR`, 'webhook_network')
    : wrongField('url', fault, 'webhook_address')
}

async function store(
  tx: Tx,
  secret: Secret,
  applicationId: string,
  { url, rotateSecret: rotate = false, kinds }: Wanted,
) {
  const { seal } = sealer(secret, 'webhook secrets')
  const fresh = newWebhookSecret()
  const active = await mayReceive(tx, applicationId)
  // Deliveries planned while it was being turned off are held with the others.
  await sql`WITH off AS (SELECT application_id FROM webhooks
      WHERE application_id = ${applicationId}::uuid AND NOT active AND NOT paused FOR UPDATE)
    UPDATE deliveries d SET state = 'held', next_attempt_at = NULL
    FROM off WHERE d.application_id = off.application_id AND d.state = 'pending'`.execute(tx.db)
  // The same address keeps its streak.
  const goesOn = sql`webhooks.active AND webhooks.url = EXCLUDED.url`
  const { rows } = await sql<{ created: boolean; kinds: SetWebhook['kinds'] | null }>`
    INSERT INTO webhooks (application_id, url, secret, cursor_seq, kinds)
    VALUES (${applicationId}::uuid, ${url}, ${seal(fresh)}, ${LOG_END}, ${kinds ?? null}::text[])
    ON CONFLICT (application_id) DO UPDATE SET url = EXCLUDED.url,
      secret = CASE WHEN ${rotate}::boolean THEN EXCLUDED.secret ELSE webhooks.secret END,
      cursor_seq = CASE WHEN webhooks.active OR webhooks.paused THEN webhooks.cursor_seq ELSE EXCLUDED.cursor_seq END,
      failed_streak = CASE WHEN ${goesOn} THEN webhooks.failed_streak ELSE 0 END,
      failing_since = CASE WHEN ${goesOn} THEN webhooks.failing_since END,
      last_error = CASE WHEN ${goesOn} THEN webhooks.last_error END,
      active = NOT webhooks.paused, turned_off_at = NULL, kinds = coalesce(EXCLUDED.kinds, webhooks.kinds)
    RETURNING xmax = 0 AS created, kinds`.execute(tx.db)
  // Events from while it was off can be replayed; new ones are sent immediately.
  await sql`UPDATE webhook_gaps g SET to_seq = ${LOG_END} FROM webhooks w
    WHERE g.application_id = ${applicationId}::uuid AND g.to_seq IS NULL
      AND w.application_id = g.application_id AND w.active`.execute(tx.db)
  await followScope(tx, applicationId, active ? ['events'] : [])
  const created = rows[0]?.created ?? false
  return { created, active, kinds: rows[0]?.kinds, ...((created || rotate) && { secret: fresh }) }
}

/**
 * Whether there is a key with the scope `events` and its owner isn't disabled. Locked, so that a change of either sees the
 * webhook. An owner may set one before there is a key.
 */
async function mayReceive(tx: Tx, applicationId: string): Promise<boolean> {
  const key = await tx.db
    .selectFrom('application_keys as k')
    .innerJoin('applications as p', 'p.id', 'k.application_id')
    .innerJoin('accounts as o', 'o.id', 'p.owner_id')
    .select('k.scopes')
    .where('k.application_id', '=', applicationId)
    .where('o.disabled_at', 'is', null)
    .forShare(['k', 'o'])
    .executeTakeFirst()
  return key?.scopes.includes('events') ?? false
}
