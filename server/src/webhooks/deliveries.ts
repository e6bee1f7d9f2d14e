import type { Delivery, Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { lockOwnApplication } from '../applications/application.ts'
import { requireOwnApplication } from '../applications/require-own-application.ts'
import { newId } from '../operations/ids.ts'
import { cannot } from '../operations/refusal.ts'
import type { Tx } from '../operations/transaction.ts'
import { deliveryErrorOf } from '../applications/delivery-error.ts'
import { heldDeliveries, missedEvents, READ_PLACE } from './held-events.ts'
import { webhookChanged } from './webhook-changed.ts'

const REPLAYED_A_SECOND = 10

const SHOWN = sql`d.id, d.event, d.state, d.attempts, d.created_at AS "createdAt", d.next_attempt_at AS "nextAttemptAt",
  a.status AS "lastStatus", a.error AS "lastError", a.duration_ms AS "lastDurationMs"`

type Stored = Omit<Delivery, 'lastErrorCode'>

const WITH_LAST = sql`deliveries d LEFT JOIN LATERAL (
  SELECT status, error, duration_ms FROM delivery_attempts t WHERE t.delivery_id = d.id ORDER BY number DESC LIMIT 1) a ON true`

export async function listDeliveries(
  tx: Tx,
  { applicationId, state, beforeId, limit = 50 }: Input<typeof api.listDeliveries>,
): Promise<Output<typeof api.listDeliveries>> {
  const { id } = await requireOwnApplication(tx, applicationId)
  const ofState = state === undefined ? sql`` : sql`AND d.state = ${state}`
  const older =
    beforeId === undefined
      ? sql``
      : sql`AND (d.created_at, d.id) < (
        SELECT b.created_at, b.id FROM deliveries b WHERE b.id = ${beforeId}::uuid AND b.application_id = ${id}::uuid)`
  const { rows } = await sql<Stored>`
    SELECT ${SHOWN} FROM ${WITH_LAST}
    WHERE d.application_id = ${id}::uuid ${ofState} ${older}
    ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit + 1}`.execute(tx.db)
  return { deliveries: rows.slice(0, limit).map(toDelivery), hasMore: rows.length > limit }
}

export async function getDelivery(
  tx: Tx,
  input: Input<typeof api.getDelivery>,
): Promise<Output<typeof api.getDelivery>> {
  const { id } = await requireOwnApplication(tx, input.applicationId)
  const delivery = await loadDelivery(tx, id, input.deliveryId)
  const attempts = await tx.db
    .selectFrom('delivery_attempts')
    .select(['number', 'at', 'duration_ms as durationMs', 'url', 'headers', 'status', 'error', 'answer'])
    .where('delivery_id', '=', delivery.id)
    .orderBy('number')
    .execute()
  return {
    delivery,
    body: await readBody(tx, delivery.id),
    attempts: attempts.map(({ url, headers, ...attempt }) => ({
      ...attempt,
      request: url === null ? null : { url, headers: headers as Record<string, string> },
      fault: deliveryErrorOf(attempt.error),
    })),
  }
}

async function readBody(tx: Tx, deliveryId: string): Promise<string> {
  const { body } = await tx.db
    .selectFrom('deliveries')
    .select('body')
    .where('id', '=', deliveryId)
    .executeTakeFirstOrThrow()
  return body
}

/** Grants a full set of attempts again; earlier ones stay in the log. */
const RESTARTED = { attempts_before: sql<number>`attempts`, first_attempt_at: null, replayed: false, resumed: false }

/** The same delivery with the same id: a receiver that deduplicates ignores it, unless it never got it. */
export async function redeliver(tx: Tx, input: Input<typeof api.redeliver>): Promise<Delivery> {
  const { id, botId } = await lockOwnApplication(tx, input.applicationId)
  await requireActive(tx, id)
  const { id: deliveryId } = await loadDelivery(tx, id, input.deliveryId)
  await requireReadable(tx, botId, deliveryId)
  await tx.db
    .updateTable('deliveries')
    .set({ state: 'pending', next_attempt_at: sql`now()`, ...RESTARTED })
    .where('id', '=', deliveryId)
    .execute()
  webhookChanged(tx, id)
  return loadDelivery(tx, id, deliveryId)
}

export async function testWebhook(
  tx: Tx,
  input: Input<typeof api.testWebhook>,
): Promise<Output<typeof api.testWebhook>> {
  const { id } = await lockOwnApplication(tx, input.applicationId)
  await requireActive(tx, id)
  const deliveryId = newId()
  const body = JSON.stringify({ event: 'ping', timestamp: new Date().toISOString(), channelId: null, data: {} })
  const row = {
    id: deliveryId,
    application_id: id,
    event: 'ping',
    body,
    state: 'pending',
    next_attempt_at: sql<string>`now()`,
  } as const
  await tx.db.insertInto('deliveries').values(row).execute()
  webhookChanged(tx, id)
  return { deliveryId }
}

/** Spread over time, so that a receiver that just recovered isn't flooded. */
export async function replayHeld(tx: Tx, input: Input<typeof api.replayHeld>): Promise<Output<typeof api.replayHeld>> {
  const { id, botId } = await lockOwnApplication(tx, input.applicationId)
  await requireActive(tx, id)
  await sql`
    INSERT INTO deliveries (id, application_id, seq, event, lane, body, state)
    SELECT gen_random_uuid(), ${id}::uuid, e.seq, e.event, coalesce(e.room_id, e.channel_id), event_body_for(${botId}::uuid, e.body, e.for_bots), 'held'
    ${missedEvents(id, botId)}
    ON CONFLICT (application_id, seq) DO NOTHING`.execute(tx.db)
  const { numAffectedRows = 0n } = await sql`
    UPDATE deliveries d SET state = 'pending', replayed = true, resumed = false, attempts_before = attempts, first_attempt_at = NULL,
      next_attempt_at = now() + make_interval(secs => (h.place - 1)::float8 / ${REPLAYED_A_SECOND})
    FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place ${heldDeliveries(id, botId)}) h
    WHERE d.id = h.id`.execute(tx.db)
  await tx.db.deleteFrom('webhook_gaps').where('application_id', '=', id).where('to_seq', 'is not', null).execute()
  webhookChanged(tx, id)
  return { events: Number(numAffectedRows) }
}

async function loadDelivery(tx: Tx, applicationId: string, deliveryId: string): Promise<Delivery> {
  const { rows } = await sql<Stored>`
    SELECT ${SHOWN} FROM ${WITH_LAST}
    WHERE d.id = ${deliveryId}::uuid AND d.application_id = ${applicationId}::uuid`.execute(tx.db)
  if (!rows[0]) throw cannot('There’s no such delivery.', 'no_such_delivery')
  return toDelivery(rows[0])
}

function toDelivery(stored: Stored): Delivery {
  return { ...stored, lastErrorCode: deliveryErrorOf(stored.lastError) }
}

/** What a bot may no longer read is held at every attempt, so it is refused here, with the reason. */
async function requireReadable(tx: Tx, botId: string, deliveryId: string): Promise<void> {
  const { rows } = await sql<{ isReadable: boolean }>`
    SELECT channel_id IS NULL OR bot_can_read(${botId}::uuid, channel_id, nullif(place, channel_id)) AS "isReadable"
    FROM (
      SELECT channel_id, ${READ_PLACE} AS place
      FROM (
        SELECT event, lane AS room_id, (body::json ->> 'channelId')::uuid AS channel_id
        FROM deliveries WHERE id = ${deliveryId}::uuid
      ) d
    ) p`.execute(tx.db)
  if (!rows[0]?.isReadable) throw cannot('The bot can’t read this event anymore.', 'bot_cannot_read')
}

async function requireActive(tx: Tx, applicationId: string): Promise<void> {
  const webhook = await tx.db
    .selectFrom('webhooks')
    .select(['active', 'paused'])
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
  if (!webhook) throw cannot('The application has no webhook.', 'no_webhook')
  if (webhook.paused)
    throw cannot('The webhook is paused until there’s a key with the scope `events`.', 'webhook_paused')
  if (!webhook.active) throw cannot('The webhook is off. Set its URL again first.', 'webhook_off')
}
