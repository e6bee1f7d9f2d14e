import { system } from '../operations/actor.ts'
import type { Services } from '../operations/services.ts'
import { run } from '../operations/transaction.ts'
import { endThisVoiceSession, voiceSessionsOf } from './voice-session.ts'

/** Ends the broadcast of a person's program, and their voice session with it. */
export async function endBroadcast(services: Services, roomId: string, accountId: string): Promise<void> {
  const { media } = services
  if (media.kind === 'embedded') await media.programs.end(roomId, accountId)
  await leaveUnlessConnected(services, roomId, accountId)
}

/** Ends the voice session of a person who has nothing else connected in the room, such as a browser. */
export async function leaveUnlessConnected(services: Services, roomId: string, accountId: string): Promise<void> {
  const { media } = services
  const connections = media.kind === 'off' ? [] : await media.connections()
  if (connections.some((connection) => connection.roomId === roomId && connection.identity === accountId)) return
  const sessions = await voiceSessionsOf(services.database.kysely, { roomId, accountId })
  for (const session of sessions) await run(services, system, (tx) => endThisVoiceSession(tx, session))
}
