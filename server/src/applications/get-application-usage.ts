import type { Input, Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { quotasOf, type Quota, type Quotas } from '../quotas/quotas.ts'
import type { Services } from '../operations/services.ts'
import type { Tx } from '../operations/transaction.ts'
import { requireOwnApplication } from './require-own-application.ts'

export async function getApplicationUsage(
  tx: Tx,
  input: Input<typeof api.getApplicationUsage>,
  _place: undefined,
  { quotas }: Pick<Services, 'quotas'>,
): Promise<Output<typeof api.getApplicationUsage>> {
  const { id } = await requireOwnApplication(tx, input.applicationId)
  const set = await tx.db
    .selectFrom('applications')
    .select(['request_limit as requestLimit', 'write_limit as writeLimit'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { requests, writes } = quotasOf(id, set)
  return { requests: await usage(quotas, requests), writes: await usage(quotas, writes) }
}

async function usage(quotas: Quotas, { subject, limit }: Quota) {
  const freeing = [...(await quotas.freeing(subject))]
  return { used: freeing.reduce((sum, places) => sum + places, 0), limit, freeing }
}
