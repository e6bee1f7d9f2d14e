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
  return {
    requests: await usage(tx, requestsOf(id), requestLimit ?? LIMITS.requestQuota),
    writes: await usage(tx, writesOf(id), writeLimit ?? LIMITS.writeQuota),
  }
}

async function usage({ parts }: Tx, subject: string, limit: number) {
  const freeing = [...(await parts.quotas.freeing(subject))]
  return { used: freeing.reduce((sum, places) => sum + places, 0), limit, freeing }
}
