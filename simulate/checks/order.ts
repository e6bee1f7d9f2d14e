import type { Delivered, Received } from '../history/history.ts'
import { LARGEST_JUMP } from '../model/changes.ts'
import { isDone, isSending, type Exchange } from '../model/exchanges.ts'
import type { Faults } from '../model/fault-spans.ts'
import { finalReads } from './final-messages.ts'
import { groupBy } from '../model/group-by.ts'
import type { Check, Findings, Subject } from './violation.ts'

/** History, times, ids and answers agree on one order. */
export const checkOrder: Check = ({ run: { exchanges } }, findings) => {
  checkHistory(exchanges, findings)
  for (const [, sends] of groupBy(sentMessages(exchanges), ({ roomId }) => roomId)) checkAnswers(sends, findings)
}

/** Every page of the end lists messages from the newest to the oldest, by id and by time. */
function checkHistory(exchanges: readonly Exchange[], findings: Findings): void {
  const newer = new Map<string, { id: string; createdAt: string }>()
  for (const message of finalReads(exchanges).messages.values()) {
    findings.checked('order', 'messages in the history')
    const before = newer.get(message.roomId)
    if (before && before.id <= message.id) {
      findings.violated(
        'order',
        `message ${message.id} is listed after ${before.id}`,
        ...sentAs(exchanges, before, message),
      )
    }
    if (before && before.createdAt < message.createdAt) {
      const what = `message ${message.id} is listed after ${before.id}, and is younger`
      findings.violated('order', what, ...sentAs(exchanges, before, message))
    }
    newer.set(message.roomId, message)
  }
}

function sentAs(exchanges: readonly Exchange[], ...messages: readonly { readonly id: string }[]): Exchange[] {
  return messages.flatMap(({ id }) => {
    const sent = exchanges.find((exchange) => isSending(exchange) && (exchange.body as { id?: string })?.id === id)
    return sent ?? []
  })
}

/** Who sees the answer to one message before sending another has sent them in this order. */
function checkAnswers(sends: readonly Sent[], findings: Findings): void {
  // In the order of their answers, the greatest id so far is that of the message which must come before all later requests.
  const byAnswer = sends.toSorted((a, b) => a.exchange.end - b.exchange.end)
  let position = 0
  let greatest: Sent | undefined
  for (const send of sends.toSorted((a, b) => a.exchange.at - b.exchange.at)) {
    for (let next = byAnswer[position]; next && next.exchange.end < send.exchange.at; next = byAnswer[position]) {
      if (!greatest || next.id > greatest.id) greatest = next
      position += 1
    }
    if (!greatest) continue
    findings.checked('order', 'acknowledgments')
    if (greatest.id > send.id) {
      const what = `message ${send.id} was sent after ${greatest.id} was acknowledged, and comes before it`
      findings.violated('order', what, greatest.exchange, send.exchange)
    } else if (createdAt(greatest.exchange) > createdAt(send.exchange)) {
      const what = `message ${send.id} was sent after ${greatest.id} was acknowledged, and is older`
      findings.violated('order', what, greatest.exchange, send.exchange)
    }
  }
}

function createdAt({ body }: Exchange): string {
  return (body as { createdAt?: string }).createdAt ?? ''
}

interface Sent {
  readonly exchange: Exchange
  readonly id: string
  readonly roomId: string
}

function sentMessages(exchanges: readonly Exchange[]): Sent[] {
  return (
    exchanges
      .filter((exchange) => isSending(exchange) && isDone(exchange))
      // The repeated request gets the first answer.
      .filter(({ idempotencyKey }) => idempotencyKey === undefined)
      .map((exchange) => ({
        exchange,
        id: (exchange.body as { id: string }).id,
        roomId: (exchange.args as { roomId: string }).roomId,
      }))
  )
}

/** The events of a stream arrive in one order at all receivers: that of their offsets, times and ids. Webhooks get each room in it. */
export const checkEventOrder: Check = ({ run: { events, deliveries }, faults }, findings) => {
  const log = new Map<string, Received>()
  for (const [, received] of groupBy(events, ({ receiver }) => receiver)) checkStream(received, log, faults, findings)
  checkTimes([...log.values()], findings)
  for (const [, attempts] of groupBy(deliveries, ({ receiver }) => receiver))
    checkWebhook(attempts, log, faults, findings)
}

function checkStream(
  received: readonly Received[],
  log: Map<string, Received>,
  faults: Faults,
  findings: Findings,
): void {
  let last: Received | undefined
  const newest = new Map<string, Received>()
  for (const entry of received) {
    // Ephemeral events have no place in the order.
    if (entry.offset === 0) continue
    findings.checked('order', 'events of streams')
    if (last && entry.offset <= last.offset) {
      findings.violated('order', `the offset ${entry.offset} follows ${last.offset} at ${entry.receiver}`, last, entry)
    }
    last = entry
    if (!IDENTIFIED.test(entry.envelope.event)) continue
    const key = identityOf(entry)
    const elsewhere = log.get(key)
    if (!elsewhere) log.set(key, entry)
    else if (elsewhere.offset !== entry.offset && !isRepeatable(entry, elsewhere, faults)) {
      findings.violated('order', `one event has the offsets ${elsewhere.offset} and ${entry.offset}`, elsewhere, entry)
    }
    checkMessages(entry, newest, findings)
  }
}

/** Others may happen twice at the same time with the same content. */
const IDENTIFIED = /^(message|reaction|voice)\./

/**
 * After a clock was set back, what happens in a channel follows the latest event by a microsecond each time: the same may happen twice
 * at the same millisecond.
 */
function isRepeatable({ at, envelope }: Received, earlier: Received, faults: Faults): boolean {
  return !envelope.event.startsWith('message.') && faults.clockError(earlier.at - LARGEST_JUMP, at) > 0
}

/** New messages of a room arrive in the order of their ids, each once. */
function checkMessages(
  entry: Received | Delivered,
  newest: Map<string, Received | Delivered>,
  findings: Findings,
): void {
  if (entry.envelope.event !== 'message.created') return
  const { roomId, id } = messageOf(entry)
  const before = newest.get(roomId)
  if (before && messageOf(before).id >= id) {
    const what =
      messageOf(before).id === id
        ? `message ${id} arrived twice at ${entry.receiver}`
        : `message ${id} arrived after ${messageOf(before).id} at ${entry.receiver}`
    findings.violated('order', what, before, entry)
  }
  newest.set(roomId, entry)
}

function messageOf({ envelope }: Received | Delivered): { roomId: string; id: string } {
  const { roomId, message } = envelope.data as { roomId: string; message: { id: string } }
  return { roomId, id: message.id }
}

/** In a channel, later events have later times. */
function checkTimes(log: readonly Received[], findings: Findings): void {
  const newest = new Map<string, Received>()
  for (const entry of log.toSorted((a, b) => a.offset - b.offset)) {
    const { channelId, timestamp } = entry.envelope
    const before = newest.get(channelId ?? '')
    if (before) findings.checked('order', 'times of events')
    if (before && before.envelope.timestamp > timestamp) {
      findings.violated('order', 'an event is older than the one before it', before, entry)
    }
    newest.set(channelId ?? '', entry)
  }
}

/** First attempts of a room arrive in order, and every event is one delivery. */
function checkWebhook(
  attempts: readonly Delivered[],
  log: ReadonlyMap<string, Received>,
  faults: Subject['faults'],
  findings: Findings,
): void {
  const seen = new Set<string>()
  const deliveries = new Map<string, Delivered>()
  const newest = new Map<string, { entry: Delivered; offset: number }>()
  const newestMessages = new Map<string, Received | Delivered>()
  for (const attempt of attempts) {
    if (seen.has(attempt.delivery)) continue
    seen.add(attempt.delivery)
    findings.checked('order', 'first deliveries')
    const key = identityOf(attempt)
    const other = deliveries.get(key)
    if (other && attempt.envelope.event !== 'ping') {
      findings.violated('order', `${attempt.receiver} got one event as two deliveries`, other, attempt)
    }
    deliveries.set(key, attempt)
    // The receiver may not have seen the first attempt, and a retry doesn’t hold up what comes later.
    if (faults.explain({ from: log.get(key)?.at ?? attempt.at, to: attempt.at })) continue
    checkMessages(attempt, newestMessages, findings)
    const { roomId } = attempt.envelope.data as { roomId?: string | null }
    const offset = log.get(key)?.offset
    if (offset === undefined || typeof roomId !== 'string') continue
    const before = newest.get(roomId)
    if (before && before.offset > offset) {
      findings.violated('order', `${attempt.receiver} got a later event of the room first`, before.entry, attempt)
    }
    newest.set(roomId, { entry: attempt, offset })
  }
}

const identities = new WeakMap<object, string>()

/** The same for one event at all receivers: portals get more of it. */
export function identityOf({ envelope }: Received | Delivered): string {
  const known = identities.get(envelope)
  if (known !== undefined) return known
  const { event, timestamp, channelId, data } = envelope
  const { roomId, messageId, emoji, message, user, userId } = data as Record<string, unknown>
  // While the clock stands still, edits of a message differ only in their texts.
  const edited = event === 'message.updated' ? textOf(message) : undefined
  const about = [roomId, messageId, emoji, idOf(message), edited, idOf(user), userId]
  const identity = JSON.stringify([event, timestamp, channelId, ...about])
  identities.set(envelope, identity)
  return identity
}

function textOf(value: unknown): unknown {
  return (value as { text?: unknown } | undefined)?.text
}

function idOf(value: unknown): unknown {
  return (value as { id?: unknown } | undefined)?.id
}
