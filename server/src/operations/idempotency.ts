import { createHash } from 'node:crypto'
import { LIMITS } from '@portico/contract'
import { sql } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import { Refusal } from './refusal.ts'
import type { Tx } from './transaction.ts'

/**
 * Runs a request once per `Idempotency-Key`: a repetition, even while the first request runs or after a restart, gets the
 * first response. The claim commits together with the change, whose statement also stores the response under the key.
 */
export async function withIdempotency<A extends object>(
  tx: Tx,
  accountId: string,
  request: object,
  work: (key: string | undefined) => Promise<A>,
): Promise<A> {
  const key = tx.idempotencyKey
  if (key === undefined) return work(undefined)
  return (await claim<A>(tx, { accountId, key, hash: fingerprint(request) })) ?? work(key)
}

export async function deleteIdempotencyKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.db.deleteFrom('idempotency_keys').where('account_id', '=', accountId).execute()
}

/** Removes fields from the stored response that contains this id, if there is one: it outlives what it is about. */
export function removeFromAnswer(
  tx: Tx,
  accountId: string,
  { id, fields }: { readonly id: string; readonly fields: readonly string[] },
): void {
  tx.queue(sql`
    UPDATE idempotency_keys SET answer = answer - ${fields}::text[]
    WHERE account_id = ${accountId}::uuid AND answer->>'id' = ${id}::text`)
}

export async function deleteExpiredIdempotencyKeys(sweep: Sweep): Promise<void> {
  await deleteInBatches(sweep, 'idempotency_keys', sql`created_at < ${expiry}`)
}

/** SQL that stores an answer under the key that its request has claimed. The arguments are SQL expressions. */
export function storeAnswer({ accountId, key, answer }: Record<'accountId' | 'key' | 'answer', string>): string {
  return `UPDATE idempotency_keys SET answer = (${answer})::jsonb
    FROM appended WHERE idempotency_keys.account_id = ${accountId} AND idempotency_keys.key = ${key}`
}

const expiry = sql<string>`now() - make_interval(secs => ${LIMITS.idempotencySeconds})`

interface Claim {
  readonly accountId: string
  readonly key: string
  readonly hash: Buffer
}

/** Undefined if this request claimed the key; otherwise the response of the request that did. */
async function claim<A>(tx: Tx, { accountId, key, hash }: Claim): Promise<A | undefined> {
  const expired = sql<boolean>`idempotency_keys.created_at < ${expiry}`
  const claimed = await tx.db
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, key, request_hash: hash, answer: '{}' })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'key'])
        .doUpdateSet({ request_hash: hash, answer: '{}', created_at: sql`now()` })
        .where(expired),
    )
    .returning('key')
    .executeTakeFirst()
  if (claimed) return undefined

  const first = await tx.db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  if (!tx.idempotencyComparesKey && !first.request_hash.equals(hash)) {
    throw new Refusal('unprocessable', {
      message: 'This Idempotency-Key was already used for a different request.',
      reason: 'idempotency_key_reused',
    })
  }
  return first.answer as A
}

function fingerprint(request: object): Buffer {
  const fields = Object.entries(request).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(fields)).digest()
}
