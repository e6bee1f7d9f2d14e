import { optionSuggested, REFUSALS, SUGGESTION_LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { sql } from 'kysely'
import { publishToPerson } from '../events/ephemeral.ts'
import { botOf } from '../operations/bot-of.ts'
import { publishNow } from '../operations/publish-now.ts'
import { cannot } from '../operations/refusal.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { readOptionRequest, type OptionRequest } from './option-request-id.ts'

/** Writes nothing: the portals get it that are open now, and the one that asked shows it. */
export async function sendSuggestions(
  tx: Tx,
  { requestId, suggestions }: Input<typeof api.sendSuggestions>,
  _place: undefined,
  { bus, secret }: Pick<Services, 'bus' | 'secret'>,
): Promise<Output<typeof api.sendSuggestions>> {
  const { id } = botOf(tx.actor)
  const request = readOptionRequest(secret, id, requestId)
  if (!request || !(await isAwaited(tx, id, request))) {
    throw cannot(REFUSALS.optionRequestOver.message, REFUSALS.optionRequestOver.reason)
  }
  const suggested = { requestId, suggestions }
  await publishNow(publishToPerson(bus, request.userId, optionSuggested, request.channelId, suggested))
  return null
}

/** By the clock of the database, because another node may have asked. */
async function isAwaited(tx: Tx, botId: string, { channelId, userId, at }: OptionRequest): Promise<boolean> {
  const { rows } = await sql<{ now: number; members: number }>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now, count(*)::int AS members FROM members
    WHERE channel_id = ${channelId}::uuid AND account_id = ANY (${[botId, userId]}::uuid[])`.execute(tx.db)
  const { now = Infinity, members = 0 } = rows[0] ?? {}
  return members === 2 && now - at <= SUGGESTION_LIMITS.within * 1000
}
