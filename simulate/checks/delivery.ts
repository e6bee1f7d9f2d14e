import type { Delivered, Received, Receiver } from '../history.ts'
import type { ChannelState } from '../model/channel-state.ts'
import { groupBy } from './group-by.ts'
import { happenedIn, keyOf, type Happened } from './happened.ts'
import { interruptionsOf } from './interruptions.ts'
import { isFor, mayKnow } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

type Arrival = Received | Delivered

/** Everyone who may know of an event gets it: messages, edits, deletions, reactions, pins, and who joins and leaves. */
export const checkDelivery: Check = (subject, findings) => {
  const happened = happenedIn(subject)
  const byReceiver = groupBy<Arrival>([...subject.run.events, ...subject.run.deliveries], ({ receiver }) => receiver)
  const causes = new Map<string, Happened>()
  for (const one of happened) if (!causes.has(one.key)) causes.set(one.key, one)
  for (const receiver of new Map(subject.run.receivers.map((one) => [one.receiver, one])).values()) {
    const own = byReceiver.get(receiver.receiver) ?? []
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
  const { run, timeline } = subject
  const { began, ends, gaps } = interruptionsOf(run, receiver)
  for (const gap of gaps) findings.violated('delivery', `${receiver.receiver} could not recover`, gap)
  const arrived = groupBy(arrivals, keyOf)
  const passing = passagesOf(arrivals, causes)
  const taken = new Map<string, number>()

  for (const one of happened) {
    if (!one.isSure || one.from < began || !isFor(receiver, one)) continue
    const reads = (state: ChannelState): boolean => mayKnow(state, receiver.actor, one.event, one.roomId) === 'yes'
    // Someone who joins or leaves may learn of it in another way.
    if (one.roomId === undefined && one.key.endsWith(receiver.actor.id)) continue
    if (timeline.ask(one.channelId, { from: one.from, to: one.to }, reads) !== 'yes') continue
    const own = arrived.get(one.key) ?? []
    const next = own.findIndex((arrival, position) => position >= (taken.get(one.key) ?? 0) && arrival.at >= one.from)
    if (next !== -1) {
      // Several attempts of a webhook are one delivery.
      taken.set(one.key, receiver.transport === 'webhook' ? next : next + 1)
      findings.checked('delivery', one.event)
      continue
    }
    // The text of a deleted message is gone from the log, too, so its edits can’t be distinguished.
    if (one.event === 'message.updated' && subject.texts.messages.get(idIn(one))?.deletions.length !== 0) continue
    // It must have passed this event by the time it got one that happened later, if it could still read the room then.
    const lostAt = timeline.holdsUntil(one.channelId, one.from, reads)
    // A webhook’s retries don’t hold up what comes later.
    const passed = receiver.transport === 'webhook' ? undefined : passing(one.to)
    const due = passed?.at ?? (ends < run.quietAt ? Infinity : run.quietAt)
    if (lostAt <= due || due === Infinity) continue
    findings.checked('delivery', one.event)
    findings.violated('delivery', `${receiver.receiver} missed ${one.event}`, one.exchange, ...(passed ? [passed] : []))
  }
}

function idIn({ exchange }: Happened): string {
  return String(exchange.args['messageId'])
}

/** Finds the first arrival of something that certainly happened after a time. */
function passagesOf(
  arrivals: readonly Arrival[],
  causes: ReadonlyMap<string, Happened>,
): (time: number) => Arrival | undefined {
  const passages: { readonly from: number; readonly arrival: Arrival }[] = []
  for (const arrival of arrivals) {
    if (arrival.kind === 'event' && arrival.offset === 0) continue
    const from = causes.get(keyOf(arrival))?.from ?? -Infinity
    if (from > (passages.at(-1)?.from ?? -Infinity)) passages.push({ from, arrival })
  }
  return (time) => {
    let [low, high] = [0, passages.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((passages[middle]?.from ?? Infinity) <= time) low = middle + 1
      else high = middle
    }
    return passages[low]?.arrival
  }
}
