import type { Delivered, Received } from '../history.ts'
import { isDone, type Exchange } from '../model/exchanges.ts'
import { finalMessages } from './final-messages.ts'
import type { Check, Violation } from './violation.ts'

/** History, times, ids, streams and first deliveries agree on one order, and it is the order of who saw whose answer first. */
export const checkOrder: Check = ({ exchanges, events, deliveries }) => {
  const violations: Violation[] = []
  const fail = (what: string, ...shownBy: Violation['shownBy']): void => {
    violations.push({ rule: 'order', what, shownBy })
  }

  const newer = new Map<string, { id: string; createdAt: string }>()
  for (const message of finalMessages(exchanges).values()) {
    const before = newer.get(message.roomId)
    if (before && before.id <= message.id) fail(`message ${message.id} is listed after ${before.id}`)
    if (before && before.createdAt < message.createdAt) {
      fail(`message ${message.id} is listed after ${before.id}, and is younger`)
    }
    newer.set(message.roomId, message)
  }

  for (const [, sends] of groupBy(sentMessages(exchanges), ({ roomId }) => roomId)) {
    // In the order of their answers, the greatest id so far is that of the message which must come before all later requests.
    const byAnswer = sends.toSorted((a, b) => a.exchange.end - b.exchange.end)
    const byCall = sends.toSorted((a, b) => a.exchange.at - b.exchange.at)
    let position = 0
    let greatest: (typeof sends)[number] | undefined
    for (const send of byCall) {
      for (let next = byAnswer[position]; next && next.exchange.end < send.exchange.at; next = byAnswer[position]) {
        if (!greatest || next.id > greatest.id) greatest = next
        position += 1
      }
      if (greatest && greatest.id > send.id) {
        fail(
          `message ${send.id} was sent after ${greatest.id} was acknowledged, and comes before it`,
          greatest.exchange,
          send.exchange,
        )
      }
    }
  }

  for (const [, received] of groupBy(events, ({ receiver }) => receiver)) inOrder(received, fail)
  for (const [, attempts] of groupBy(deliveries, ({ receiver }) => receiver)) {
    const first = new Map<string, Delivered>()
    for (const attempt of attempts) if (!first.has(attempt.delivery)) first.set(attempt.delivery, attempt)
    inOrder([...first.values()], fail)
  }
  return violations
}

/** New messages of a room arrive in the order of their ids, each once; nothing is told of a message before itself. */
function inOrder(
  received: readonly (Received | Delivered)[],
  fail: (what: string, ...shownBy: Violation['shownBy']) => void,
): void {
  const last = new Map<string, Received | Delivered>()
  let offset = 0
  for (const entry of received) {
    if (entry.kind === 'event' && entry.offset > 0) {
      if (entry.offset <= offset) fail(`the offset ${entry.offset} follows ${offset}`, entry)
      offset = entry.offset
    }
    if (entry.envelope.event !== 'message.created') continue
    const { roomId, message } = entry.envelope.data as { roomId: string; message: { id: string } }
    const before = last.get(roomId)
    if (before) {
      const { id } = (before.envelope.data as { message: { id: string } }).message
      if (id === message.id) fail(`message ${id} arrived twice at ${entry.receiver}`, before, entry)
      else if (id > message.id) fail(`message ${message.id} arrived after ${id} at ${entry.receiver}`, before, entry)
    }
    last.set(roomId, entry)
  }
}

interface Sent {
  readonly exchange: Exchange
  readonly id: string
  readonly roomId: string
}

function sentMessages(exchanges: readonly Exchange[]): Sent[] {
  return (
    exchanges
      .filter((exchange) => exchange.operation === 'send' && isDone(exchange))
      // The repeated request gets the first answer.
      .filter(({ idempotencyKey }) => idempotencyKey === undefined)
      .map((exchange) => ({
        exchange,
        id: (exchange.body as { id: string }).id,
        roomId: (exchange.args as { roomId: string }).roomId,
      }))
  )
}

export function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}
