import type { MemberDetails, OwnChannel, Room } from '@portico/contract'
import { bestMatches } from '#completion/fuzzy-match.ts'
import { displayName } from '#members/display-name.ts'
import { unreadByChannel, type ReadStates } from '#unread/read-states.ts'

/** Where the switcher can go. */
export type Target =
  | { readonly kind: 'room'; readonly room: Room; readonly channel: OwnChannel }
  | { readonly kind: 'channel'; readonly channel: OwnChannel }
  | { readonly kind: 'person'; readonly member: MemberDetails }

export interface Known {
  readonly channels: readonly OwnChannel[]
  readonly roomsOf: ReadonlyMap<string, readonly Room[]>
  readonly people: readonly MemberDetails[]
  readonly readStates: ReadStates | undefined
  /** The open channel: its rooms come first. */
  readonly channelId: string | undefined
  readonly roomId: string | undefined
}

const MAX_TARGETS = 30

/** The targets that match, best first; for an empty search, unread rooms and then those of the open channel. */
export function targetsFor(typed: string, known: Known): Target[] {
  const near = known.channels.toSorted((a, b) => Number(b.id === known.channelId) - Number(a.id === known.channelId))
  const rooms: Target[] = near.flatMap((channel) =>
    (known.roomsOf.get(channel.id) ?? []).map((room): Target => ({ kind: 'room', room, channel })),
  )
  if (typed.trim() === '') {
    const others = rooms.filter((target) => target.kind !== 'room' || target.room.id !== known.roomId)
    return others
      .toSorted((a, b) => urgencyOf(b, known.readStates) - urgencyOf(a, known.readStates))
      .slice(0, MAX_TARGETS)
  }
  const all: Target[] = [
    ...rooms,
    ...near.map((channel): Target => ({ kind: 'channel', channel })),
    ...known.people.map((member): Target => ({ kind: 'person', member })),
  ]
  return bestMatches(all, typed, nameOf).slice(0, MAX_TARGETS)
}

export function nameOf(target: Target): string {
  if (target.kind === 'room') return target.room.name
  return target.kind === 'channel' ? target.channel.name : displayName(target.member)
}

export function keyOf(target: Target): string {
  return target.kind === 'room' ? target.room.id : target.kind === 'channel' ? target.channel.id : target.member.id
}

/** Mentions before unread messages before the rest. */
export function urgencyOf(target: Target, readStates: ReadStates | undefined): 0 | 1 | 2 {
  if (target.kind === 'person') return 0
  const room = target.kind === 'room' ? readStates?.get(target.room.id) : undefined
  const state =
    target.kind === 'channel' ? unreadByChannel(readStates).get(target.channel.id) : room?.muted ? undefined : room
  return state && state.mentions > 0 ? 2 : state?.unread ? 1 : 0
}
