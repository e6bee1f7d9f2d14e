import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import { botOf } from '../operations/bot-of.ts'
import type { Tx } from '../operations/transaction.ts'

export async function getScopes({ actor }: Tx): Promise<Output<typeof api.getScopes>> {
  return { scopes: [...botOf(actor).scopes] }
}
