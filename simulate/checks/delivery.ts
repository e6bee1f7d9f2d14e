import type { Actor, Delivered, Received, Receiver } from '../history.ts'
import { may, type ChannelState } from '../model/channel-state.ts'
import { isDone, type Exchange, type Run } from '../model/exchanges.ts'
import type { Timeline } from '../model/timeline.ts'
import { groupBy } from './order.ts'
import type { Check, Violation } from './violation.ts'

/** In milliseconds: an event that was on its way when a right was taken away. */
const ON_THE_WAY = 15_000

/** An event that a request has caused. */
interface Happened {
  readonly exchange: Exchange
  readonly event: string
  readonly channelId: string
  readonly roomId: string
  /** What the event is about: the id of a message, with the new text of an edit. */
  readonly about: string
}

/** Whoever may read a room gets each of its messages, edits and deletions; nobody else gets any of them. */
export const checkDelivery: Check = (run, timeline) => {
  const happened = happenedIn(run.exchanges)
  const arrivals: (Received | Delivered)[] = [...run.events, ...run.deliveries]
  const byReceiver = groupBy(arrivals, ({ receiver }) => receiver)
  return run.receivers.flatMap((receiver) =>
    checkReceiver(run, timeline, receiver, byReceiver.get(receiver.receiver) ?? [], happened),
  )
}

function checkReceiver(
  run: Run,
  timeline: Timeline,
  { receiver, actor, transport, at }: Receiver,
  arrivals: readonly (Received | Delivered)[],
  happened: readonly Happened[],
): Violation[] {
  const violations: Violation[] = []
  const subscriptions = run.entries.filter((entry) => entry.kind === 'subscribed' && entry.receiver === receiver)
  const began = transport === 'webhook' ? at : (subscriptions[0]?.at ?? Infinity)
  const gaps = subscriptions.filter((entry) => entry.kind === 'subscribed' && entry.recovered === false)
  const closed = run.entries.find(
    (entry) => entry.kind === 'closed' && entry.receiver === receiver && entry.code >= 3500,
  )
  for (const gap of gaps) violations.push({ rule: 'delivery', what: `${receiver} could not recover`, shownBy: [gap] })
  const arrived = new Map<string, Received | Delivered>()
  for (const arrival of arrivals) {
    const key = keyOf(arrival)
    if (!arrived.has(key)) arrived.set(key, arrival)
  }
  // The text of a deleted message is gone from the log, too, so its edits can’t be told from each other.
  const deleted = new Set(
    run.exchanges.filter(({ operation }) => operation === 'delete').map(({ args }) => args['messageId']),
  )
  const causes = new Map(happened.map((one) => [`${one.event} ${one.about}`, one]))

  for (const one of happened) {
    if (!isFor(actor, one)) continue
    const reads = (state: ChannelState): boolean => readsRoom(state, actor, one.roomId)
    const { exchange, channelId } = one
    const during = { from: exchange.at, to: exchange.end }
    const verdict = timeline.ask(channelId, during, reads)
    const arrival = arrived.get(`${one.event} ${one.about}`)
    if (arrival && verdict === 'no') {
      violations.push({
        rule: 'delivery',
        what: `${receiver} got what ${actor.name} may not read`,
        shownBy: [exchange, arrival],
      })
    }
    if (arrival || verdict !== 'yes' || exchange.at < began || closed) continue
    if (one.event === 'message.updated' && deleted.has(exchange.args['messageId'])) continue
    // It must have passed this event by the time it got one that happened later, if it could still read the room then.
    const lostAt = timeline.holdsUntil(channelId, exchange.at, reads)
    // A webhook’s retries don’t hold up what comes later.
    const passed = arrivals.find(
      (other) => transport !== 'webhook' && (causes.get(keyOf(other))?.exchange.at ?? 0) > exchange.end,
    )
    if (lostAt > (passed?.at ?? run.quietAt)) {
      violations.push({
        rule: 'delivery',
        what: `${receiver} missed ${one.event} ${one.about}`,
        shownBy: [exchange, ...(passed ? [passed] : [])],
      })
    }
  }

  for (const arrival of arrivals) {
    const cause = causes.get(keyOf(arrival))
    if (arrival.kind === 'delivery' && !arrival.isSigned) {
      violations.push({
        rule: 'delivery',
        what: `${receiver} got a delivery without a valid signature`,
        shownBy: [arrival],
      })
    }
    if (!cause) continue
    if (!isFor(actor, cause)) {
      violations.push({
        rule: 'delivery',
        what: `${receiver} got an event that is not for it`,
        shownBy: [cause.exchange, arrival],
      })
    }
    const late = { from: arrival.at - ON_THE_WAY, to: arrival.at }
    const couldRead = timeline.statesOf(cause.channelId, late).some((state) => readsRoom(state, actor, cause.roomId))
    if (!couldRead && cause.exchange.end < late.from) {
      violations.push({
        rule: 'delivery',
        what: `${receiver} got an event after losing the right to read`,
        shownBy: [cause.exchange, arrival],
      })
    }
  }
  return violations
}

/** Bots get nothing of their own and nothing of other rooms than text rooms. */
function isFor({ kind, id }: Actor, { exchange }: Happened): boolean {
  return kind === 'person' || exchange.actor.id !== id
}

function readsRoom(state: ChannelState, { id, kind }: Actor, roomId: string): boolean {
  const type = state.rooms.get(roomId)?.type
  if (kind === 'bot' && type !== 'text') return false
  return may(state, id, 'read_text_room', roomId, { from: 0, to: 0 }) === 'yes'
}

function happenedIn(exchanges: readonly Exchange[]): Happened[] {
  const happened: Happened[] = []
  for (const exchange of exchanges) {
    if (!isDone(exchange)) continue
    const { channelId, roomId, messageId, text } = exchange.args as Record<string, string>
    const place = { exchange, channelId: channelId ?? '', roomId: roomId ?? '' }
    if (exchange.operation === 'send') {
      happened.push({ ...place, event: 'message.created', about: (exchange.body as { id: string }).id })
    } else if (exchange.operation === 'edit') {
      happened.push({ ...place, event: 'message.updated', about: `${messageId} ${text}` })
    } else if (exchange.operation === 'delete') {
      happened.push({ ...place, event: 'message.deleted', about: messageId ?? '' })
    }
  }
  return happened
}

function keyOf({ envelope: { event, data } }: Received | Delivered): string {
  const { message } = data as { message?: { id: string; text?: string } }
  return `${event} ${message?.id}${event === 'message.updated' ? ` ${message?.text}` : ''}`
}
