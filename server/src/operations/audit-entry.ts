import type { Actor } from './actor.ts'
import { newId } from './ids.ts'

/** What the audit log is told: past tense, whom it concerned, and what changed. */
export interface AuditEntry {
  readonly action: string
  /** Absent for changes of the portal as a whole. */
  readonly channelId?: string
  readonly target?: { readonly id: string; readonly name: string }
  readonly reason?: string | undefined
  readonly details?: Record<string, unknown>
}

export function auditEntry(actor: Actor, entry: AuditEntry) {
  return {
    id: newId(),
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

/** The rooms that an entry names: it is shown only to those who see all of them. */
function roomsOf({ action, target, details = {} }: AuditEntry): string[] {
  const { roomId, fromRoomId, toRoomId } = details
  const named = [action.startsWith('room.') && target?.id, roomId, fromRoomId, toRoomId]
  return named.filter((id) => typeof id === 'string')
}
