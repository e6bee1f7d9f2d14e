import type { Input, Output, WebhookEventName } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { lockOwnApplication } from '../applications/application.ts'
import { botOf } from '../operations/bot-of.ts'
import { requireOwnApplication } from '../applications/require-own-application.ts'
import { Refusal } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { deliveryErrorOf } from '../applications/delivery-error.ts'
import { heldCount } from './held-events.ts'
import { webhookChanged } from './webhook-changed.ts'

export async function getWebhook(tx: Tx): Promise<Output<typeof api.getWebhook>> {
  const webhook = await tx.db
    .selectFrom('webhooks')
    .select(['url', 'active', 'failed_streak as failedStreak', 'created_at as createdAt', 'kinds'])
    .where('application_id', '=', botOf(tx.actor).applicationId)
    .executeTakeFirst()
  if (!webhook) throw new Refusal('notFound', { message: 'No webhook is configured.' })
  const { kinds, ...status } = webhook
  return { ...status, ...(kinds && { kinds: kinds as WebhookEventName[] }) }
}

export async function deleteWebhook(tx: Tx): Promise<null> {
  const { applicationId, name } = botOf(tx.actor)
  await remove(tx, { id: applicationId, name })
  return null
}

export async function deleteApplicationWebhook(
  tx: Tx,
  input: Input<typeof api.deleteApplicationWebhook>,
): Promise<null> {
  await remove(tx, await lockOwnApplication(tx, input.applicationId))
  return null
}

export async function getApplicationWebhook(
  tx: Tx,
  input: Input<typeof api.getApplicationWebhook>,
): Promise<Output<typeof api.getApplicationWebhook>> {
  const { id, botId } = await requireOwnApplication(tx, input.applicationId)
  const webhook = await tx.db
    .selectFrom('webhooks')
    .select(['url', 'kinds', 'active', 'paused', 'failed_streak as failedStreak', 'created_at as createdAt'])
    .select(['last_success_at as lastSuccessAt', 'last_error as lastError', 'turned_off_at as turnedOffAt'])
    .select(
      sql<number>`(SELECT count(*) FROM deliveries d WHERE d.application_id = ${id}::uuid AND d.state = 'pending')::int`.as(
        'pending',
      ),
    )
    .select(heldCount(id, botId).as('held'))
    .where('application_id', '=', id)
    .executeTakeFirst()
  return {
    webhook: webhook
      ? {
          ...webhook,
          kinds: webhook.kinds as WebhookEventName[] | null,
          lastErrorCode: deliveryErrorOf(webhook.lastError),
        }
      : null,
  }
}

async function remove(tx: Tx, application: { readonly id: string; readonly name: string }): Promise<void> {
  const { id } = application
  const removed = await tx.db
    .deleteFrom('webhooks')
    .where('application_id', '=', id)
    .returning('url')
    .executeTakeFirst()
  if (!removed) return
  await tx.db.deleteFrom('webhook_gaps').where('application_id', '=', id).execute()
  await tx.db
    .updateTable('deliveries')
    .set({ state: 'failed', next_attempt_at: null })
    .where('application_id', '=', id)
    .where('state', 'in', ['pending', 'held'])
    .execute()
  tx.audit({ action: 'webhook.deleted', target: application })
  webhookChanged(tx, id)
}
