import type { Input } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Tx } from '../operations/transaction.ts'

export async function reportDefect(tx: Tx, defect: Input<typeof api.reportDefect>): Promise<null> {
  tx.afterCommit(async ({ log }) => log.warn({ defect }, 'a page of the portal failed'))
  return null
}
