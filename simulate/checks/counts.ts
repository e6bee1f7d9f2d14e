import type { Member, Room, RoomReadState } from '@portico/contract'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { finalReads, type FinalMessage } from './final-messages.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** Once it is quiet, everyone’s counts, the list of who is online and the voice rooms say what is true. */
export const checkCounts: Check = (subject, findings) => {
  const final = subject.run.exchanges.filter((exchange) => exchange.isFinal && isDone(exchange))
  checkUnread(subject, final, findings)
  checkPresence(subject, final, findings)
  checkVoice(final, findings)
}

function checkUnread({ run }: Subject, final: readonly Exchange[], findings: Findings): void {
  const { messages, rooms } = finalReads(run.exchanges)
  const byRoom = groupBy(messages.values(), ({ roomId }) => roomId)
  for (const exchange of final.filter(({ operation }) => operation === 'listReadStates')) {
    for (const state of (exchange.body as { rooms: RoomReadState[] }).rooms) {
      if (!rooms.has(state.roomId)) continue
      findings.checked('counts', 'read states')
      const wrong = wrongCount(state, exchange.actor.id, byRoom.get(state.roomId) ?? [])
      if (wrong !== undefined)
        findings.violated('counts', `${exchange.actor.name}: ${wrong}`, shortened(exchange, state))
    }
  }
}

/** Whose portal is open is online. Only the last answer counts: presence may take a moment. */
function checkPresence({ run }: Subject, final: readonly Exchange[], findings: Findings): void {
  const connected = connectedAtTheEnd(run)
  const lists = final.filter(({ operation }) => operation === 'listMembers')
  for (const [, inChannel] of groupBy(lists, channelOf)) {
    const last = inChannel.at(-1)
    if (!last) continue
    for (const { id, name, online, isBot } of (last.body as { members: Member[] }).members) {
      if (isBot) continue
      findings.checked('counts', 'presence')
      if (online === connected.has(id)) continue
      findings.violated('counts', `${name} is shown as ${online ? 'online' : 'offline'}`, shortened(last, id))
    }
  }
}

/** Who has an open portal when everything was read. A person may have several. */
function connectedAtTheEnd({ entries, quietAt }: Subject['run']): Set<string> {
  const open = new Map<string, string>()
  for (const entry of entries) {
    if (entry.kind === 'receiver' && entry.transport === 'portal') open.set(entry.receiver, entry.actor.id)
    if (entry.kind === 'closed' && (entry.at > quietAt || isFinal(entry.code))) open.delete(entry.receiver)
    if (entry.kind === 'phase' && entry.phase === 'read') break
  }
  return new Set(open.values())
}

/** The client closed by itself, or may not connect again. */
function isFinal(code: number): boolean {
  return code < 3000 || code >= 3500
}

function checkVoice(final: readonly Exchange[], findings: Findings): void {
  const inVoice = new Map(
    final.filter(({ operation }) => operation === 'joinVoice').map((join) => [join.actor.id, join]),
  )
  const lists = final.filter(({ operation }) => operation === 'listRooms')
  for (const [, inChannel] of groupBy(lists, channelOf)) {
    const last = inChannel.at(-1)
    if (!last) continue
    for (const { id, users = [] } of (last.body as { rooms: Room[] }).rooms) {
      const expected = [...inVoice.values()].filter(({ args }) => args['roomId'] === id).map(({ actor }) => actor.id)
      const shown = users.map((user) => user.id)
      if (expected.length > 0 || shown.length > 0) findings.checked('counts', 'voice rooms')
      if (expected.toSorted().join() === shown.toSorted().join()) continue
      const what = `in the voice room ${id} are ${shown.join(', ') || 'none'} instead of ${expected.join(', ') || 'none'}`
      findings.violated('counts', what, shortened(last, users), ...inVoice.values())
    }
  }
}

function wrongCount(state: RoomReadState, who: string, messages: readonly FinalMessage[]): string | undefined {
  const { roomId, readUpTo, lastMessageId, unread, mentions } = state
  const newest = messages[0]?.id ?? null
  if (lastMessageId !== newest) return `the newest message of ${roomId} is ${newest}, not ${lastMessageId}`
  const after = messages.filter(({ id }) => id > readUpTo)
  const others = after.filter(({ authorId }) => authorId !== who)
  if (unread && others.length === 0) return `${roomId} is unread, without a message of others after ${readUpTo}`
  if (!unread && others.length > 0) return `${roomId} is read, with ${others.length} messages after ${readUpTo}`
  const mentioning = others.filter(({ text }) => text.includes(`<@${who}>`)).length
  return mentions === mentioning ? undefined : `${mentions} mentions in ${roomId} instead of ${mentioning}`
}

function channelOf({ args }: Exchange): string {
  return String(args['channelId'])
}

/** With only the part of a long answer that matters. */
function shortened(exchange: Exchange, part: unknown): Exchange {
  return { ...exchange, body: part, marks: [] }
}
