import type { AuditEntry } from '@portico/contract'
import { expect } from 'vitest'
import type { Bot } from './bot.ts'
import { expectOk } from './expect-ok.ts'
import type { Person } from './person.ts'

interface Channel {
  readonly owner: Person
  readonly at: string
}

/** The audit log of a channel, newest first. */
export async function auditLog({ owner, at }: Channel): Promise<AuditEntry[]> {
  return expectOk(await owner.get<{ entries: AuditEntry[] }>(`${at}/audit-log?limit=100`)).entries
}

/** The newest entry of the audit log is this action of the bot. */
export async function expectAudited(fixture: Channel & { readonly bot: Bot }, action: string, more: object = {}) {
  const { id, name } = fixture.bot
  expect((await auditLog(fixture))[0]).toMatchObject({ action, actor: { id, name }, ...more })
}
