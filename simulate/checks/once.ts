import { isDone, isRefused, isSending, type Exchange } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import type { Message } from '../model/texts.ts'
import { possibleValues } from '../model/writes.ts'
import { finalReads, type FinalMessage } from './final-messages.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/**
 * In the end, an acknowledged message is in its room exactly once, with its last text, and a deleted one isn’t; what was refused is
 * nowhere; what got no answer is there at most once for each request.
 */
export const checkOnce: Check = (subject, findings) => {
  const { exchanges } = subject.run
  const { messages: stored, rooms } = finalReads(exchanges)
  for (const message of subject.texts.messages.values()) {
    if (!rooms.has(message.roomId)) continue
    checkMessage(message, stored.get(message.id), subject, findings)
  }
  const byMark = groupBy(stored.values(), ({ text }) => markOf(text))
  for (const [mark, requests] of subject.texts.requests) {
    const sends = requests.filter(isSending)
    const ids = new Set(sends.filter(isDone).map(({ body }) => (body as { id: string }).id))
    const extra = (byMark.get(mark) ?? []).filter(({ id }) => !ids.has(id))
    const sentHere = extra.filter(({ id }) => !requests.some(({ args }) => args['messageId'] === id))
    checkUnacknowledged(sends, sentHere, subject, findings)
  }
  checkRefused(subject, findings)
  for (const [mark, [message]] of byMark) {
    if (mark !== '' && message && !subject.texts.requests.has(mark)) {
      findings.violated('once', `nobody sent the message ${message.id}`)
    }
  }
}

function checkMessage(
  message: Message,
  stored: FinalMessage | undefined,
  { timeline }: Subject,
  findings: Findings,
): void {
  const { sent, deletions, channelId, roomId, authorId } = message
  const changes = message.texts.map(({ exchange }) => exchange)
  const deleted = deletions.find(isDone)
  if (deleted) {
    findings.checked('once', 'deleted messages')
    if (stored) findings.violated('once', 'a deleted message is in the history', sent, deleted)
    return
  }
  const during = { from: sent.at, to: Infinity }
  if (timeline.existence(channelId, roomId).during(during) !== 'yes') return
  findings.checked('once', 'acknowledged messages')
  if (!stored) {
    if (deletions.length === 0) findings.violated('once', 'an acknowledged message is not in the history', sent)
    return
  }
  if (stored.roomId !== roomId || stored.authorId !== authorId) {
    findings.violated('once', 'a message is in another room or by another author', sent)
  }
  if (changes.length > 1) findings.checked('once', 'edited messages')
  if (!possibleValues(message.texts, '').has(markOf(stored.text))) {
    findings.violated('once', `a message reads “${stored.text}”`, ...changes)
  }
}

/** Messages with a text that no acknowledged request has sent with that id. */
function checkUnacknowledged(
  sends: readonly Exchange[],
  found: readonly FinalMessage[],
  { run, faults }: Subject,
  findings: Findings,
): void {
  const open = sends.filter((send) => send.status === undefined && !hasAnsweredTwin(send, sends))
  if (open.length > 0) findings.checked('once', 'unanswered messages')
  if (found.length > open.length) {
    const what =
      open.length === 0 && sends.every(isRefused)
        ? 'a refused message is in the history'
        : 'a message is in the history more often than it can have been sent'
    findings.violated('once', what, ...sends)
  }
  const latest = Math.max(...open.map((send) => faults.latestEffect(send)))
  for (const { createdAt } of found) {
    const stored = Date.parse(createdAt) - Date.parse(run.head.startedAt)
    if (open.length > 0 && stored > latest + faults.clockError(0, latest)) {
      findings.violated('once', 'a message without an answer was stored after its deadline', ...open)
    }
  }
}

/** A request with the same key got an answer, and the answer is about both. */
function hasAnsweredTwin({ idempotencyKey, actor }: Exchange, sends: readonly Exchange[]): boolean {
  return (
    idempotencyKey !== undefined &&
    sends.some((other) => isDone(other) && other.idempotencyKey === idempotencyKey && other.actor.id === actor.id)
  )
}

/** A text that was only ever refused is in no answer and in no event. */
function checkRefused({ run, texts }: Subject, findings: Findings): void {
  const refused = new Map<string, Exchange>()
  for (const [mark, requests] of texts.requests) {
    const [first] = requests
    if (mark !== '' && first && requests.every(isRefused)) refused.set(mark, first)
  }
  findings.checked('once', 'refused texts', refused.size)
  if (refused.size === 0) return
  for (const exchange of run.exchanges) {
    for (const mark of exchange.marks) {
      const request = refused.get(mark)
      if (request) findings.violated('once', 'a refused text was read', request, exchange)
    }
  }
  for (const arrival of [...run.events, ...run.deliveries]) {
    const { message } = arrival.envelope.data as { message?: { text?: string } }
    const request = message?.text === undefined ? undefined : refused.get(markOf(message.text))
    if (request)
      findings.violated('once', `an event of a refused request arrived at ${arrival.receiver}`, request, arrival)
  }
}
