import { OF_BOTS } from '../history/event-kinds.ts'
import type { Actor, Receiver } from '../history/history.ts'
import { may, sees, type ChannelState, type Verdict } from '../model/channel-state.ts'
import type { Timeline } from '../model/timeline.ts'
import type { Track } from '../model/track.ts'
import type { Happened } from './happened.ts'

/** The kinds of events that the receiver gets. */
export function kindsOf({ kinds = OF_BOTS }: Receiver): readonly string[] {
  return kinds
}

/** Whether an event is of a kind that the receiver gets, and not about what it did itself. */
export function isFor(receiver: Receiver, { event, exchange }: Happened): boolean {
  const { actor, transport } = receiver
  const { botId, userId } = exchange.args as { botId?: string; userId?: string }
  if (transport === 'portal') return event === 'notice.shown' ? actor.id === userId : event !== 'component.pressed'
  if (event === 'component.pressed' && botId !== actor.id) return false
  return kindsOf(receiver).includes(event) && exchange.actor.id !== actor.id
}

type About = Pick<Happened, 'event' | 'channelId' | 'roomId'>

/** Whether someone may know of an event of a room or, without one, of the channel, through time. */
export class Knowledge {
  readonly #timeline: Timeline
  readonly #actor: Actor
  /** By room or channel. */
  readonly #reads = new Map<string, Track>()
  readonly #sees = new Map<string, Track>()

  constructor(timeline: Timeline, actor: Actor) {
    this.#timeline = timeline
    this.#actor = actor
  }

  of({ event, channelId, roomId }: About): Track {
    const isRead = /^(message|reaction|component|notice)\./.test(event)
    const tracks = isRead ? this.#reads : this.#sees
    const place = roomId ?? channelId
    let track = tracks.get(place)
    if (!track) tracks.set(place, (track = this.#find(channelId, roomId, isRead)))
    return track
  }

  #find(channelId: string, roomId: string | undefined, isRead: boolean): Track {
    const actor = this.#actor
    if (roomId === undefined) return this.#timeline.membership(channelId, actor.id)
    const name = `${isRead ? 'reads' : 'sees'} ${actor.kind} ${actor.id} ${roomId}`
    return this.#timeline.track(channelId, name, (state) => decide(state, actor, isRead, roomId))
  }
}

/** Whether someone may read a room, through time. Mutes take nothing away from reading. */
export function reading(timeline: Timeline, channelId: string, who: string, roomId: string): Track {
  return timeline.track(channelId, `may read ${who} ${roomId}`, (state) => mayRead(state, who, roomId))
}

function decide(state: ChannelState, { id, kind }: Actor, isRead: boolean, roomId: string): Verdict {
  const room = state.rooms.get(roomId)
  if (kind === 'bot' && room) {
    if (isRead && room.type !== 'text') return 'no'
    if (!isRead && (room.type !== 'voice' || room.isPrivate)) return 'no'
  }
  return isRead ? mayRead(state, id, roomId) : sees(state, id, roomId)
}

function mayRead(state: ChannelState, who: string, roomId: string): Verdict {
  return may(state, who, 'read_text_room', roomId, { from: 0, to: 0 })
}
