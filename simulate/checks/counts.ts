import type { Member, Room, RoomReadState } from '@portico/contract'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { finalMessages, type FinalMessage } from './final-messages.ts'
import { groupBy } from './order.ts'
import type { Check, Violation } from './violation.ts'

/** Once it is quiet, everyone’s counts, the list of who is online and the voice rooms say what is true. */
export const checkCounts: Check = ({ exchanges, entries }) => {
  const violations: Violation[] = []
  const fail = (what: string, ...shownBy: Violation['shownBy']): void => {
    violations.push({ rule: 'counts', what, shownBy })
  }
  const final = exchanges.filter((exchange) => exchange.isFinal && isDone(exchange))
  const messages = groupBy([...finalMessages(exchanges).values()], ({ roomId }) => roomId)

  for (const exchange of final.filter(({ operation }) => operation === 'listReadStates')) {
    for (const state of (exchange.body as { rooms: RoomReadState[] }).rooms) {
      const wrong = wrongCount(state, exchange.actor.id, messages.get(state.roomId) ?? [])
      if (wrong !== undefined) fail(`${exchange.actor.name}: ${wrong}`, shortened(exchange, state))
    }
  }

  // Only the last answer counts: presence may take a moment.
  const connected = new Set<string>()
  for (const entry of entries) {
    if (entry.kind === 'receiver' && entry.transport === 'portal') connected.add(entry.actor.id)
  }
  const receivers = new Map(
    entries.flatMap((entry) => (entry.kind === 'receiver' ? [[entry.receiver, entry.actor]] : [])),
  )
  const quiet = entries.findIndex((entry) => entry.kind === 'phase' && entry.phase === 'quiet')
  for (const entry of entries.slice(quiet)) {
    if (entry.kind === 'closed') connected.delete(receivers.get(entry.receiver)?.id ?? '')
    if (entry.kind === 'phase' && entry.phase === 'read') break
  }
  for (const [, lists] of groupBy(
    final.filter(({ operation }) => operation === 'listMembers'),
    channelOf,
  )) {
    const last = lists.at(-1)
    if (!last) continue
    for (const { id, name, online, isBot } of (last.body as { members: Member[] }).members) {
      if (!isBot && online !== connected.has(id))
        fail(`${name} is shown as ${online ? 'online' : 'offline'}`, shortened(last, id))
    }
  }

  const inVoice = new Map(
    final.filter(({ operation }) => operation === 'joinVoice').map((join) => [join.actor.id, join]),
  )
  for (const [, lists] of groupBy(
    final.filter(({ operation }) => operation === 'listRooms'),
    channelOf,
  )) {
    const last = lists.at(-1)
    if (!last) continue
    for (const { id, users = [] } of (last.body as { rooms: Room[] }).rooms) {
      const expected = [...inVoice.values()].filter(({ args }) => args['roomId'] === id).map(({ actor }) => actor.id)
      const shown = users.map((user) => user.id)
      if (expected.toSorted().join() !== shown.toSorted().join()) {
        fail(
          `in the voice room ${id} are ${shown.join(', ') || 'none'} instead of ${expected.join(', ') || 'none'}`,
          shortened(last, id),
        )
      }
    }
  }
  return violations
}

function wrongCount(state: RoomReadState, who: string, messages: readonly FinalMessage[]): string | undefined {
  const { roomId, readUpTo, lastMessageId, unread, mentions } = state
  const newest = messages[0]?.id ?? null
  if (lastMessageId !== newest) return `the newest message of ${roomId} is ${newest}, not ${lastMessageId}`
  const after = messages.filter(({ id }) => id > readUpTo)
  const others = after.filter(({ authorId }) => authorId !== who)
  if (unread && after.length === 0) return `${roomId} is unread, without a message after ${readUpTo}`
  if (!unread && others.length > 0) return `${roomId} is read, with ${others.length} messages after ${readUpTo}`
  const mentioning = others.filter(({ text }) => text.includes(`<@${who}>`)).length
  return mentions === mentioning ? undefined : `${mentions} mentions in ${roomId} instead of ${mentioning}`
}

function channelOf({ args }: Exchange): string {
  return String(args['channelId'])
}

/** With only the part of a long answer that matters. */
function shortened(exchange: Exchange, part: unknown): Exchange {
  return { ...exchange, body: part }
}
