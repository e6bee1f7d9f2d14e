import type { Pool } from 'pg'
import type { Webhooks } from '../applications/webhooks.ts'
import { followScope } from './follow-scope.ts'
import { readWebhookStatus } from './observe-webhooks.ts'
import { redactDeliveries } from './redact-deliveries.ts'

export function createWebhooks(pool: Pool): Webhooks {
  return { status: () => readWebhookStatus(pool), followScope, redactDeliveries }
}
