import { rightsOf } from '@portico/contract'
import { isSeen, readPlaces, rightsInputOf } from '../operations/authorize.ts'
import type { Services } from '../operations/services.ts'
import { PUBLISHING } from './publishing.ts'
import type { VoiceSession } from './voice-session.ts'

interface CheckedSession {
  readonly session: VoiceSession
  /** Whether they still see the room, which may have become private or been denied to their role. */
  readonly mayStay: boolean
  readonly canPublish: boolean
}

/** What members in voice rooms may do now: roles change and mutes expire while people talk. */
export async function checkVoiceSessions(
  { database }: Services,
  sessions: readonly VoiceSession[],
): Promise<CheckedSession[]> {
  if (sessions.length === 0) return []
  const requested = sessions.map((session) => [session.accountId, session.channelId, session.roomId] as const)
  const rows = await readPlaces(database.pool, requested)
  return sessions.flatMap((session, position) => {
    const row = rows.get(position)
    if (!row || row.roomId === null) return []
    const isOwner = row.ownerId === session.accountId
    const canPublish = rightsOf(rightsInputOf(row, isOwner)).has(PUBLISHING[row.roomType])
    return [{ session, mayStay: isSeen(row, isOwner), canPublish }]
  })
}
