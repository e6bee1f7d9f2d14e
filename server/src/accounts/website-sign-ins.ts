import type { Output } from '@portico/contract'
import type * as api from '@portico/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Tx } from '../operations/transaction.ts'

declare module '../operations/services.ts' {
  interface Services {
    readonly websiteSignIns: WebsiteSignIns
  }
}

/** What features need of a person's sign-ins at websites. `sign-in/` implements it, `start.ts` connects the two. */
export interface WebsiteSignIns {
  listConsents(tx: Tx): Promise<Output<typeof api.listConsents>>
  /** Ends all sign-ins of a person: codes and tokens are deleted with their grants. The consents stay. */
  revokeGrants(db: Kysely<Tables>, accountId: string): Promise<void>
  /** Deletes a person's consents, with their grants and tokens. */
  deleteConsents(db: Kysely<Tables>, accountId: string): Promise<void>
}
