import type { Account } from '@portico/contract'
import { hear, whenConnected, whenMissed } from '#live/live.svelte.ts'
import { History } from './history.svelte.ts'
import type { MessageEvent } from './message-window.svelte.ts'
import { Outbox } from './outbox.svelte.ts'

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

/** What this page has of a room: its messages, and own ones on their way. */
export interface Talk {
  readonly history: History
  readonly outbox: Outbox
}

/** By room, the one that was looked at last at the end. */
const talks = new Map<string, Talk>()
let opened: ((talk: Talk) => void) | undefined

export function talkOf(place: { channelId: string; roomId: string }, { id }: Pick<Account, 'id'>): Talk {
  const talk = talks.get(place.roomId) ?? newTalk(place, id)
  talks.delete(place.roomId)
  talks.set(place.roomId, talk)
  for (const [roomId, { outbox }] of [...talks].slice(0, -MOST)) if (outbox.unsent.length === 0) talks.delete(roomId)
  return talk
}

function newTalk(place: { channelId: string; roomId: string }, myId: string): Talk {
  const history = new History(place, myId)
  const talk = { history, outbox: new Outbox(history, myId) }
  opened?.(talk)
  return talk
}

/** Calls back for each room that is in memory, now and later. Gives the way to stop. */
export function whenTalkOpens(handler: (talk: Talk) => void): () => void {
  opened = handler
  for (const talk of talks.values()) handler(talk)
  return () => {
    opened = undefined
  }
}

/** What was missed may have been sent by this page, which has lost the answer. */
async function catchUp({ history, outbox }: Talk): Promise<void> {
  const known = new Set(history.messages.map(({ id }) => id))
  await history.catchUp()
  for (const message of history.messages) if (!known.has(message.id)) outbox.recognise(message)
  outbox.forgetShown()
}

/** Hands on to each room what happens in it. Gives the way to stop, after which nothing of the person is left. */
export function followMessages(): () => void {
  const stops = [
    ...EVENTS.map((event) =>
      hear(event, (told) => {
        const talk = talks.get(told.data.roomId)
        talk?.history.apply(told)
        if (!talk || told.event !== 'message.created') return
        const message = talk.history.messages.find(({ id }) => id === told.data.message.id)
        if (message) talk.outbox.recognise(message)
      }),
    ),
    hear('member.changed', ({ channelId, data: { member } }) => {
      for (const { history } of talks.values()) if (history.channelId === channelId) history.showMember(member)
    }),
    whenConnected(() => {
      for (const { outbox } of talks.values()) outbox.hurry()
    }),
    whenMissed(() => {
      for (const talk of talks.values()) void catchUp(talk)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const { outbox } of talks.values()) outbox.close()
    talks.clear()
  }
}
