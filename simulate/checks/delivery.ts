import type { Delivered, Received, Receiver } from '../history/history.ts'
import { groupBy } from '../model/group-by.ts'
import { happenedIn, keyOf, type Happened } from './happened.ts'
import { interruptionsOf } from './interruptions.ts'
import { isFor, Knowledge } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

type Arrival = Received | Delivered

/** In milliseconds: longer than all retries of a delivery take, even if none is answered. */
const RETRIED_FOR = 120_000
/** In milliseconds: how far the clock of the service may be from ours. */
const CLOCKS = 2000

/** Everyone who may know of an event gets it: messages, edits, deletions, reactions, pins, and who joins and leaves. */
export const checkDelivery: Check = (subject, findings) => {
  const happened = happenedIn(subject)
  const causes = new Map<string, Happened>()
  for (const one of happened) if (!causes.has(one.key)) causes.set(one.key, one)
  for (const receiver of new Map(subject.run.receivers.map((one) => [one.receiver, one])).values()) {
    const own = subject.run.arrivals.get(receiver.receiver) ?? []
    checkReceiver(subject, receiver, own, happened, causes, findings)
  }
}

function checkReceiver(
  subject: Subject,
  receiver: Receiver,
  arrivals: readonly Arrival[],
  happened: readonly Happened[],
  causes: ReadonlyMap<string, Happened>,
  findings: Findings,
): void {
  const { run, timeline, faults } = subject
  const { began, ends, gaps } = interruptionsOf(run, receiver)
  for (const gap of gaps) findings.violated('delivery', `${receiver.receiver} could not recover`, gap)
  const arrived = groupBy(arrivals, keyOf)
  const passing = passagesOf(arrivals, causes)
  const passingInRoom = receiver.transport === 'webhook' ? passagesInRooms(arrivals, causes) : undefined
  /** When it must have got what happened before an arrival. */
  const dueAt = ({ kind, at }: Arrival, since: number): number => {
    if (kind === 'event') return at
    // A webhook may not have seen the first attempt, and a retry doesn’t hold up what comes later.
    const due = faults.explain({ from: since, to: at }) ? at + RETRIED_FOR : at
    return due > Math.min(ends, run.endsAt) || faults.explainLoss({ from: since, to: due }) ? Infinity : due
  }
  /** Whether an event says that it happened then: people come and go. Where clocks jump, it may say anything. */
  const startedAt = Date.parse(run.head.startedAt)
  const haveClocksJumped = faults.clockError(0, Infinity) > 0
  const isTimely = ({ envelope }: Arrival, { from, to }: Happened): boolean => {
    const at = Date.parse(envelope.timestamp) - startedAt
    return haveClocksJumped || !(at < from - CLOCKS || at > to + CLOCKS)
  }
  const knowledge = new Knowledge(timeline, receiver.actor)
  const taken = new Map<string, number>()
  // What happens after a receiver has ended, and after the last that it got, isn’t missed.
  const until = ends < run.quietAt ? Math.max(passing.last, ...arrivals.slice(-1).map(({ at }) => at)) : Infinity

  for (let position = firstFrom(happened, began); position < happened.length; position += 1) {
    const one = happened[position]
    if (!one?.isSure || one.from < began || one.from > until || !isFor(receiver, one)) continue
    // Someone who joins or leaves may learn of it in another way.
    if (one.roomId === undefined && one.key.endsWith(receiver.actor.id)) continue
    const knows = knowledge.of(one)
    if (knows.during({ from: one.from, to: one.to }) !== 'yes') continue
    const own = arrived.get(one.key) ?? []
    const next = own.findIndex((arrival, position) => {
      return position >= (taken.get(one.key) ?? 0) && arrival.at >= one.from && isTimely(arrival, one)
    })
    if (next !== -1) {
      // Several attempts of a webhook are one delivery.
      taken.set(one.key, receiver.transport === 'webhook' ? next : next + 1)
      findings.checked('delivery', one.event)
      continue
    }
    // The text of a deleted message is gone from the log, too, so its edits can’t be distinguished.
    if (one.event === 'message.updated' && subject.texts.messages.get(idIn(one))?.deletions.length !== 0) continue
    // It must have passed this event by the time it got one that happened later, if it could still read the room then.
    const lostAt = knows.holdsUntil(one.from)
    const passed = (passingInRoom ? passingInRoom.get(one.roomId ?? '') : passing)?.after(one.to)
    const due = Math.min(passed ? dueAt(passed, one.from) : Infinity, ends < run.quietAt ? Infinity : run.quietAt)
    if (lostAt <= due || due === Infinity) continue
    findings.checked('delivery', one.event)
    findings.violated('delivery', `${receiver.receiver} missed ${one.event}`, one.exchange, ...(passed ? [passed] : []))
  }
}

function idIn({ exchange }: Happened): string {
  return String(exchange.args['messageId'])
}

/** The position of the first that was requested at this time or later. */
function firstFrom(happened: readonly Happened[], time: number): number {
  let [low, high] = [0, happened.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((happened[middle]?.exchange.at ?? Infinity) < time) low = middle + 1
    else high = middle
  }
  return low
}

interface Passages {
  /** The first arrival of something that certainly happened after a time. */
  after(time: number): Arrival | undefined
  /** The latest time at which something happened that arrived. */
  readonly last: number
}

/** A webhook gets first deliveries in order only within each room. */
function passagesInRooms(
  arrivals: readonly Arrival[],
  causes: ReadonlyMap<string, Happened>,
): ReadonlyMap<string, Passages> {
  const rooms = groupBy(arrivals, ({ envelope }) => String(envelope.data['roomId']))
  return new Map([...rooms].map(([roomId, inRoom]) => [roomId, passagesOf(inRoom, causes)]))
}

function passagesOf(arrivals: readonly Arrival[], causes: ReadonlyMap<string, Happened>): Passages {
  const passages: { readonly from: number; readonly arrival: Arrival }[] = []
  for (const arrival of arrivals) {
    if (arrival.kind === 'event' && arrival.offset === 0) continue
    const from = causes.get(keyOf(arrival))?.from ?? -Infinity
    if (from > (passages.at(-1)?.from ?? -Infinity)) passages.push({ from, arrival })
  }
  const after = (time: number): Arrival | undefined => {
    let [low, high] = [0, passages.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((passages[middle]?.from ?? Infinity) <= time) low = middle + 1
      else high = middle
    }
    return passages[low]?.arrival
  }
  return { after, last: passages.at(-1)?.from ?? -Infinity }
}
