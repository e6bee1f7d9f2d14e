import { createECDH, createHash } from 'node:crypto'
import { LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { lockAccount } from '../accounts/lock-account.ts'
import { signedIn } from '../accounts/sessions.ts'
import { wrongField } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import type { Secret } from '../secrets/secret.ts'
import { sealer } from '../secrets/secret-box.ts'
import { blockListOf, checkUrl } from '../outbound/address-guard.ts'
import type { BrowserKeys } from './encrypt-push.ts'

/** Where to send, and for whom to encrypt. */
export interface PushTarget extends BrowserKeys {
  readonly endpoint: string
}

export function targetSealer(secret: Secret) {
  const { seal, open } = sealer(secret, 'push subscriptions')
  return {
    seal: (target: PushTarget): Buffer => seal(JSON.stringify(target)),
    open: (sealed: Buffer): PushTarget => JSON.parse(open(sealed)),
  }
}

export async function getPushSubscription(
  tx: Tx,
  _input: unknown,
  _place: undefined,
  { pushKeys }: Pick<Services, 'pushKeys'>,
): Promise<Output<typeof api.getPushSubscription>> {
  const { sessionId } = signedIn(tx)
  const found = await tx.db
    .selectFrom('push_subscriptions')
    .select('session_id')
    .where('session_id', '=', sessionId)
    .executeTakeFirst()
  return { publicKey: pushKeys.publicKey, subscribed: found !== undefined }
}

export async function setPushSubscription(
  tx: Tx,
  input: Input<typeof api.setPushSubscription>,
  _place: undefined,
  { config, secret }: Pick<Services, 'config' | 'secret'>,
): Promise<null> {
  const { id, sessionId } = signedIn(tx)
  const { endpoint, p256dh, auth, locale } = input
  // Names are checked before every connection: today's address says nothing about tomorrow's.
  const checked = checkUrl(endpoint, blockListOf(config.WEBHOOK_ALLOW_CIDR))
  if ('fault' in checked) throw wrongField('endpoint', checked.fault)
  if (!isPoint(p256dh)) throw wrongField('p256dh', 'must be a P-256 public key in base64url')

  await lockAccount(tx, id, 'alone')
  const hash = createHash('sha256').update(endpoint).digest()
  // A browser belongs to the session that subscribed it last, even if that is another person’s.
  await sql`DELETE FROM push_subscriptions
    WHERE endpoint_hash = ${hash} AND session_id <> ${sessionId}::uuid`.execute(tx.db)
  const values = {
    account_id: id,
    endpoint_hash: hash,
    sealed: targetSealer(secret).seal({ endpoint, p256dh, auth }),
    locale,
  }
  await tx.db
    .insertInto('push_subscriptions')
    .values({ session_id: sessionId, ...values })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(values))
    .execute()
  await sql`DELETE FROM push_subscriptions WHERE session_id IN (
    SELECT session_id FROM push_subscriptions WHERE account_id = ${id}::uuid
    ORDER BY session_id = ${sessionId}::uuid DESC, created_at DESC OFFSET ${LIMITS.pushSubscriptions}::int
  )`.execute(tx.db)
  return null
}

export async function deletePushSubscription(tx: Tx): Promise<null> {
  const { sessionId } = signedIn(tx)
  await tx.db.deleteFrom('push_subscriptions').where('session_id', '=', sessionId).execute()
  return null
}

/** Anything else could not be encrypted for. */
function isPoint(p256dh: string): boolean {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  try {
    ecdh.computeSecret(Buffer.from(p256dh, 'base64url'))
    return true
  } catch {
    return false
  }
}
