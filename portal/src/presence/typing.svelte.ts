import type { NamedMember } from '@portico/contract'
import { subscribe } from '#live/live.svelte.ts'

/** As long as the contract says a typing event is valid. */
const SHOWN_MS = 6000

interface Writer {
  readonly member: NamedMember
  readonly end: ReturnType<typeof setTimeout>
}

let writing = $state.raw<ReadonlyMap<string, ReadonlyMap<string, Writer>>>(new Map())

/** Who is typing in a room, without the reader. */
export function writersIn(roomId: string): NamedMember[] {
  return [...(writing.get(roomId)?.values() ?? [])].map(({ member }) => member)
}

/** Tracks who is typing while a conversation is open. Returns a function that stops. */
export function followTyping(myId: string): () => void {
  const stops = [
    subscribe('typing.started', ({ data: { roomId, member } }) => {
      if (member.id === myId) return
      stopped(roomId, member.id)
      const end = setTimeout(() => stopped(roomId, member.id), SHOWN_MS)
      note(roomId, new Map([...(writing.get(roomId) ?? []), [member.id, { member, end }]]))
    }),
    subscribe('message.created', ({ data: { roomId, message } }) => stopped(roomId, message.author.id)),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const writers of writing.values()) for (const { end } of writers.values()) clearTimeout(end)
    writing = new Map()
  }
}

function stopped(roomId: string, memberId: string): void {
  const writers = writing.get(roomId)
  const writer = writers?.get(memberId)
  if (!writers || !writer) return
  clearTimeout(writer.end)
  const left = new Map(writers)
  left.delete(memberId)
  note(roomId, left)
}

function note(roomId: string, writers: ReadonlyMap<string, Writer>): void {
  const others = [...writing].filter(([room]) => room !== roomId)
  writing = new Map(writers.size > 0 ? [...others, [roomId, writers] as const] : others)
}
