import type { MemberDetails, OwnChannel, Room } from '@portico/contract'
import { bestFits } from '#fuzzy-match.ts'
import { shownName } from '#members/display-name.ts'
import { unreadOf, type Readings } from '#unread/read-states.ts'

/** Where the switcher can go. */
export type Goal =
  | { readonly kind: 'room'; readonly room: Room; readonly channel: OwnChannel }
  | { readonly kind: 'channel'; readonly channel: OwnChannel }
  | { readonly kind: 'person'; readonly member: MemberDetails }

export interface Known {
  readonly channels: readonly OwnChannel[]
  readonly roomsOf: ReadonlyMap<string, readonly Room[]>
  readonly people: readonly MemberDetails[]
  readonly readings: Readings | undefined
  /** Where one is: its rooms come before those of others. */
  readonly channelId: string | undefined
  readonly roomId: string | undefined
}

const MOST = 30

/** What answers the letters typed, best first; with none typed, what is unread and then the rooms at hand. */
export function goalsFor(typed: string, known: Known): Goal[] {
  const near = known.channels.toSorted((a, b) => Number(b.id === known.channelId) - Number(a.id === known.channelId))
  const rooms: Goal[] = near.flatMap((channel) =>
    (known.roomsOf.get(channel.id) ?? []).map((room): Goal => ({ kind: 'room', room, channel })),
  )
  if (typed.trim() === '') {
    const others = rooms.filter((goal) => goal.kind !== 'room' || goal.room.id !== known.roomId)
    return others.toSorted((a, b) => callOf(b, known.readings) - callOf(a, known.readings)).slice(0, MOST)
  }
  const all: Goal[] = [
    ...rooms,
    ...near.map((channel): Goal => ({ kind: 'channel', channel })),
    ...known.people.map((member): Goal => ({ kind: 'person', member })),
  ]
  return bestFits(all, typed, nameOf).slice(0, MOST)
}

export function nameOf(goal: Goal): string {
  if (goal.kind === 'room') return goal.room.name
  return goal.kind === 'channel' ? goal.channel.name : shownName(goal.member)
}

export function keyOf(goal: Goal): string {
  return goal.kind === 'room' ? goal.room.id : goal.kind === 'channel' ? goal.channel.id : goal.member.id
}

/** How loudly it asks to be read: a mention over anything unread over the rest. */
export function callOf(goal: Goal, readings: Readings | undefined): 0 | 1 | 2 {
  if (goal.kind === 'person') return 0
  const room = goal.kind === 'room' ? readings?.get(goal.room.id) : undefined
  const state = goal.kind === 'channel' ? unreadOf(readings, goal.channel.id) : room?.muted ? undefined : room
  return state && state.mentions > 0 ? 2 : state?.unread ? 1 : 0
}
