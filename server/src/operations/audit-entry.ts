import { sql, type Kysely, type RawBuilder } from 'kysely'
import { deleteInBatches, type Sweep } from '../db/delete-in-batches.ts'
import type { Tables } from '../db/tables.ts'
import type { Actor } from './actor.ts'

/** An entry of the audit log: an action in the past tense, its target, and what changed. */
export interface AuditEntry {
  readonly action: string
  /** Absent for changes of the portal as a whole. */
  readonly channelId?: string
  readonly target?: { readonly id: string; readonly name: string }
  readonly reason?: string | undefined
  readonly details?: Record<string, unknown>
}

function row(actor: Actor, entry: AuditEntry) {
  return {
    channel_id: entry.channelId ?? null,
    action: entry.action,
    actor_id: 'id' in actor ? actor.id : null,
    actor_name: 'name' in actor ? actor.name : null,
    target_id: entry.target?.id ?? null,
    target_name: entry.target?.name ?? null,
    reason: entry.reason ?? null,
    details: JSON.stringify(entry.details ?? {}),
    room_ids: roomsOf(entry),
  }
}

/** The statement that writes an entry, for `tx.audit` and for transactions that are not those of an operation. */
export function insertAuditEntry(db: Kysely<Tables>, actor: Actor, entry: AuditEntry) {
  return db.insertInto('audit_log').values(row(actor, entry))
}

/** SQL that writes entries of the program itself, from a query for their action, target and details. */
export function insertAuditEntries(query: string): string {
  return `INSERT INTO audit_log (action, target_id, target_name, details) ${query}`
}

export async function deleteAuditEntriesBefore(sweep: Sweep, time: RawBuilder<string>): Promise<void> {
  await deleteInBatches(sweep, 'audit_log', sql`created_at < ${time}`)
}

/** The rooms that an entry names: it is shown only to those who see all of them. */
function roomsOf({ action, target, details = {} }: AuditEntry): string[] {
  const { roomId, fromRoomId, toRoomId } = details
  const named = [action.startsWith('room.') && target?.id, roomId, fromRoomId, toRoomId]
  return named.filter((id) => typeof id === 'string')
}
