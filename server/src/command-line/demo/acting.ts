import { api, type Input, type Operation, type OperationName, type Output } from '@portico/contract'
import type { Actor } from '../../operations/actor.ts'
import { insertAuditEntry } from '../../operations/audit-entry.ts'
import { authorize } from '../../operations/authorize.ts'
import type { Handlers } from '../../operations/perform.ts'
import type { Services } from '../../operations/services.ts'
import type { Tx } from '../../operations/transaction.ts'

/** Runs an operation as one of the people of the community. */
export type Act = <N extends OperationName>(name: N, input: Input<(typeof api)[N]>) => Promise<Output<(typeof api)[N]>>

/** The shared transaction with this actor. */
export function txOf(shared: Tx, actor: Actor): Tx {
  const audit: Tx['audit'] = (entry) => shared.queue(insertAuditEntry(shared.db, actor, entry))
  return { ...shared, actor, audit }
}

/** Operations as one of the people or bots calls them. */
export type Acting = (shared: Tx, actor: Actor) => Act

/** All operations run in one shared transaction: the community is created as a whole or not at all. */
export const actingWith =
  (services: Services, handlers: Handlers): Acting =>
  (shared, actor) => {
    const tx = txOf(shared, actor)
    return async <N extends OperationName>(name: N, input: Input<(typeof api)[N]>) => {
      const operation: Operation = api[name]
      const handler = handlers[name]
      if (!handler || 'ownTransactions' in handler) throw new Error(`${name} has a transaction of its own`)
      const fields: Record<string, unknown> = { ...input }
      const place = operation.access ? await authorize(services, actor, fields, operation.access, { tx }) : undefined
      return handler(tx, fields, place as never, services) as Promise<Output<(typeof api)[N]>>
    }
  }
