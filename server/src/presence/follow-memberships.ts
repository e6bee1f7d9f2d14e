import { memberJoined, memberLeft } from '@portico/contract'
import type { EventLog } from '../events/event-log.ts'

export interface MembershipChange {
  readonly channelId: string
  readonly accountId: string
  readonly joined: boolean
}

/** Calls the listener with everyone who joins or leaves a channel. Returns how to stop. */
export function followMemberships(eventLog: EventLog, listener: (change: MembershipChange) => void): () => void {
  return eventLog.listen((events) => {
    for (const { event, audience, channelId, body } of events) {
      if (audience !== 'portal') continue
      if (event !== memberJoined.event && event !== memberLeft.event) continue
      const { data } = JSON.parse(body) as { data: { userId: string } }
      listener({ channelId, accountId: data.userId, joined: event === memberJoined.event })
    }
  })
}
