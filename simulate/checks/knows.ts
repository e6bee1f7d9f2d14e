import type { Actor, Receiver } from '../history.ts'
import { may, sees, type ChannelState, type Verdict } from '../model/channel-state.ts'
import type { Happened } from './happened.ts'

/** The kinds of events that bots get. Of messages and reactions only those of text rooms, of voice rooms only those of public ones. */
export const OF_BOTS: ReadonlySet<string> = new Set([
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'voice.member_joined',
  'voice.member_left',
])

/** Whether an event is of a kind that the receiver gets, and not about what it did itself. */
export function isFor({ actor, transport }: Receiver, { event, exchange }: Happened): boolean {
  if (transport === 'portal') return true
  return OF_BOTS.has(event) && exchange.actor.id !== actor.id
}

const cache = new WeakMap<ChannelState, Map<string, Verdict>>()

/** Whether someone may know of an event while the channel is in this state. */
export function mayKnow(state: ChannelState, actor: Actor, event: string, roomId: string | undefined): Verdict {
  let verdicts = cache.get(state)
  if (!verdicts) cache.set(state, (verdicts = new Map()))
  const isRead = event.startsWith('message.') || event.startsWith('reaction.')
  const key = `${actor.id} ${isRead} ${roomId ?? ''}`
  let verdict = verdicts.get(key)
  if (verdict === undefined) verdicts.set(key, (verdict = decide(state, actor, isRead, roomId)))
  return verdict
}

function decide(state: ChannelState, { id, kind }: Actor, isRead: boolean, roomId: string | undefined): Verdict {
  if (roomId === undefined) return state.members.has(id) ? 'yes' : 'no'
  const room = state.rooms.get(roomId)
  if (kind === 'bot' && room) {
    if (isRead && room.type !== 'text') return 'no'
    if (!isRead && (room.type !== 'voice' || room.isPrivate)) return 'no'
  }
  if (!isRead) return sees(state, id, roomId)
  // Mutes take nothing away from reading.
  return may(state, id, 'read_text_room', roomId, { from: 0, to: 0 })
}
