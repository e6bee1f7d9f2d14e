import { api, type Input, type Operation, type OperationName, type Output } from '@portico/contract'
import type { Actor } from '../../operations/actor.ts'
import { performers } from '../../app.ts'
import { auditEntry } from '../../operations/audit-entry.ts'
import { accessPlace } from '../../operations/authorize.ts'
import type { Tx } from '../../operations/transaction.ts'

/** Carries an operation out as one of the people of the community. */
export type Act = <N extends OperationName>(name: N, input: Input<(typeof api)[N]>) => Promise<Output<(typeof api)[N]>>

/** The shared transaction in the hands of one of them. */
export function txOf(shared: Tx, actor: Actor): Tx {
  const audit: Tx['audit'] = (entry) => shared.queue(shared.db.insertInto('audit_log').values(auditEntry(actor, entry)))
  return { ...shared, actor, audit }
}

/** The operations that people and bots call, all within one transaction: the community is there whole or not at all. */
export function acting(shared: Tx, actor: Actor): Act {
  const tx = txOf(shared, actor)
  return async <N extends OperationName>(name: N, input: Input<(typeof api)[N]>) => {
    const operation: Operation = api[name]
    const performer = performers[name]
    if (!performer || 'outside' in performer) throw new Error(`${name} has a transaction of its own`)
    const fields: Record<string, unknown> = { ...input }
    const place = operation.access ? await accessPlace(tx, fields, operation.access) : undefined
    return performer(tx, fields, place as never) as Promise<Output<(typeof api)[N]>>
  }
}
