import { MARK } from '../actors/texts.ts'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { finalMessages, type FinalMessage } from './final-messages.ts'
import type { Check, Violation } from './violation.ts'

/** In milliseconds: the deadline of a request, and some more because the clock of the service isn’t ours. */
const DEADLINE = 10_000
const TOLERANCE = 5_000

/** An acknowledged message is in the history of its room exactly once, with its last text; a refused one never was. */
export const checkOnce: Check = ({ exchanges, head }, timeline) => {
  const violations: Violation[] = []
  const stored = finalMessages(exchanges)
  const changes = changesByMessage(exchanges)
  const byMark = new Map<string, FinalMessage[]>()
  for (const message of stored.values()) {
    const mark = markOf(message.text)
    byMark.set(mark, [...(byMark.get(mark) ?? []), message])
  }
  const told = new Set<string>()
  const fail = (what: string, ...shownBy: readonly Exchange[]): void => {
    violations.push({ rule: 'once', what, shownBy })
  }

  for (const send of exchanges) {
    if (send.operation !== 'send') continue
    const { text, channelId, roomId } = send.args as { text: string; channelId: string; roomId: string }
    told.add(markOf(text))
    const found = byMark.get(markOf(text)) ?? []
    const hasTwin = exchanges.some((other) => other !== send && sameKey(other, send) && !isRefused(other))
    if (isRefused(send)) {
      if (found.length > 0 && !hasTwin) fail('a refused message is in the history', send)
      continue
    }
    const { id } = (send.body ?? {}) as { id?: string }
    const edits = changes.get(id ?? '') ?? []
    if (send.status === undefined) {
      if (found.length > 1) fail('a message without an answer is in the history more than once', send)
      const [only] = found
      const latest = Date.parse(head.startedAt) + send.at + DEADLINE + TOLERANCE
      if (only && !hasTwin && Date.parse(only.createdAt) > latest) fail('a message was stored after its deadline', send)
      continue
    }
    const wasDeleted = edits.some((edit) => edit.operation === 'delete' && isDone(edit))
    const mayBeDeleted = edits.some((edit) => edit.operation === 'delete' && edit.status === undefined)
    const isRoomThere = timeline.ask(channelId, { from: send.at, to: Infinity }, ({ rooms }) => rooms.has(roomId))
    const message = stored.get(id ?? '')
    if (wasDeleted) {
      if (message) fail('a deleted message is in the history', send, ...edits)
      continue
    }
    if (isRoomThere !== 'yes') continue
    if (!message) {
      if (!mayBeDeleted) fail('an acknowledged message is not in the history', send, ...edits)
      continue
    }
    if (found.length > 1) fail('an acknowledged message is in the history more than once', send)
    if (message.roomId !== roomId || message.authorId !== send.actor.id) fail('a message is in another place', send)
    if (!possibleTexts(send, edits).has(message.text)) fail(`a message reads “${message.text}”`, send, ...edits)
  }

  for (const edit of exchanges) {
    if (edit.operation !== 'edit') continue
    const mark = markOf((edit.args as { text: string }).text)
    told.add(mark)
    if (isRefused(edit) && byMark.has(mark)) fail('a refused edit is in the history', edit)
  }
  for (const [mark, [message]] of byMark) {
    if (mark !== '' && !told.has(mark)) fail(`nobody sent the message ${message?.id}`)
  }
  return violations
}

/** Edits and deletions by anyone, by the message. */
function changesByMessage(exchanges: readonly Exchange[]): Map<string, Exchange[]> {
  const changes = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'edit' && exchange.operation !== 'delete') continue
    const { messageId } = exchange.args as { messageId: string }
    changes.set(messageId, [...(changes.get(messageId) ?? []), exchange])
  }
  return changes
}

function possibleTexts(send: Exchange, changes: readonly Exchange[]): Set<string> {
  const textOf = ({ args }: Exchange): string => (args as { text: string }).text
  const edits = changes.filter(({ operation }) => operation === 'edit')
  const last = edits.findLast((edit) => isDone(edit))
  const open = edits.filter(({ status, at }) => status === undefined && (!last || at > last.at - DEADLINE - TOLERANCE))
  return new Set([textOf(last ?? send), ...open.map(textOf)])
}

function sameKey(one: Exchange, other: Exchange): boolean {
  return one.idempotencyKey !== undefined && one.idempotencyKey === other.idempotencyKey
}

function markOf(text: string): string {
  return MARK.exec(text)?.[0] ?? ''
}
