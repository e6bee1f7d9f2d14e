import type { Account } from '@portico/contract'
import { hear, whenMissed } from '#live/live.svelte.ts'
import { History, type MessageEvent } from './history.svelte.ts'

/** How many rooms stay in memory; of the others only drafts are kept. */
const MOST = 12

const EVENTS = [
  'message.created',
  'message.updated',
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'message.pinned',
  'message.unpinned',
] as const satisfies readonly MessageEvent[]

/** By room, the one that was looked at last at the end. */
const histories = new Map<string, History>()

/** The messages of a room, as far as this page has them. */
export function historyOf(place: { channelId: string; roomId: string }, me: Account): History {
  const known = histories.get(place.roomId)
  const history = known ?? new History(place, me)
  histories.delete(place.roomId)
  histories.set(place.roomId, history)
  for (const roomId of [...histories.keys()].slice(0, -MOST)) histories.delete(roomId)
  return history
}

/** Hands on to each room what happens in it. Gives the way to stop, after which nothing of the person is left. */
export function followMessages(): () => void {
  const stops = [
    ...EVENTS.map((event) => hear(event, (told) => histories.get(told.data.roomId)?.apply(told))),
    whenMissed(() => {
      for (const history of histories.values()) void history.catchUp()
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    histories.clear()
  }
}
