import { LIMITS, type Input, type Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { requestsOf, writesOf } from '../quotas/quotas.ts'
import type { Tx } from '../transaction.ts'
import { requireOwnApplication } from './require-own-application.ts'

export async function getApplicationUsage(
  tx: Tx,
  input: Input<typeof api.getApplicationUsage>,
): Promise<Output<typeof api.getApplicationUsage>> {
  const { id } = await requireOwnApplication(tx, input.applicationId)
  const { requestLimit, writeLimit } = await tx.db
    .selectFrom('applications')
    .select(['request_limit as requestLimit', 'write_limit as writeLimit'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { quotas } = tx.parts
  return {
    requests: { used: await quotas.used(requestsOf(id)), limit: requestLimit ?? LIMITS.requestQuota },
    writes: { used: await quotas.used(writesOf(id)), limit: writeLimit ?? LIMITS.writeQuota },
  }
}
