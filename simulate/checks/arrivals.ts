import type { Delivered, Received, Receiver } from '../history/history.ts'
import { isDone, isRefused, type Exchange, type Run } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import { happenedIn, keyOf, type Happened } from './happened.ts'
import { isFor, kindsOf, Knowledge } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

type Arrival = Received | Delivered

/** Nobody gets an event that nobody caused, that is not for them, or that they may not know of. */
export const checkArrivals: Check = (subject, findings) => {
  const { run } = subject
  const receivers = new Map(
    run.receivers.map((one) => [
      one.receiver,
      { receiver: one, knowledge: new Knowledge(subject.timeline, one.actor) },
    ]),
  )
  const causes = causesOf(subject)
  for (const arrival of [...run.events, ...run.deliveries]) {
    const known = receivers.get(arrival.receiver)
    if (!known) continue
    const { receiver, knowledge } = known
    findings.checked('delivery', 'arrivals')
    checkForm(arrival, receiver, findings)
    const possible = findCauses(arrival, causes)
    if (possible === 'nobody') {
      findings.violated('delivery', `${arrival.receiver} got ${arrival.envelope.event}, which nobody caused`, arrival)
      continue
    }
    // Which of several joins or reactions it was, nobody can tell.
    const wrongs = possible.map((cause) => wrongOf(subject, receiver, knowledge, arrival, cause))
    const [wrong] = wrongs
    if (wrong && wrongs.every((one) => one !== undefined)) {
      findings.violated(wrong.rule, `${arrival.receiver} got ${wrong.what}`, ...wrong.shownBy, arrival)
    }
  }
}

function checkForm(arrival: Arrival, of: Receiver, findings: Findings): void {
  const { receiver, transport } = of
  const { event, timestamp, data } = arrival.envelope
  if (typeof timestamp !== 'string' || typeof data !== 'object') {
    findings.violated('delivery', `${receiver} got an incomplete envelope`, arrival)
  }
  if (transport === 'portal') return
  if (!kindsOf(of).includes(event) && event !== 'ping') {
    findings.violated('delivery', `${receiver} got ${event}, which it didn’t ask for`, arrival)
  }
  if (arrival.kind !== 'delivery') return
  if (!arrival.isSigned) findings.violated('delivery', `${receiver} got a delivery without a valid signature`, arrival)
  if (arrival.header !== event)
    findings.violated('delivery', `${receiver} got ${event} with the header ${arrival.header}`, arrival)
}

interface Causes {
  readonly byKey: ReadonlyMap<string, readonly Happened[]>
  /** Messages whose requests got no answer, by the mark of their text: nobody knows their ids. */
  readonly byMark: ReadonlyMap<string, Happened>
  /** Presses whose requests got no answer, by who pressed what. */
  readonly presses: ReadonlyMap<string, Happened>
  /** Edits of these messages can’t be distinguished anymore. */
  readonly deleted: ReadonlySet<string>
}

function causesOf(subject: Subject): Causes {
  const byKey = new Map<string, Happened[]>()
  const byMark = new Map<string, Happened>()
  const presses = new Map<string, Happened>()
  for (const one of happenedIn(subject)) {
    const known = byKey.get(one.key)
    if (known) known.push(one)
    else byKey.set(one.key, [one])
    if (one.event === 'message.created' && !one.isSure) byMark.set(markOf(String(one.exchange.args['text'])), one)
    if (one.event === 'component.pressed' && !one.isSure)
      presses.set(pressOf(one.exchange.args, one.exchange.actor), one)
  }
  const deletions = subject.run.exchanges.filter(({ operation }) => operation === 'delete')
  return { byKey, byMark, presses, deleted: new Set(deletions.map(({ args }) => String(args['messageId']))) }
}

/** Who pressed what. */
function pressOf({ messageId, componentId }: Readonly<Record<string, unknown>>, by: { readonly id: string }): string {
  return `${String(messageId)} ${String(componentId)} ${by.id}`
}

/** The latest first. Empty if there may be one that is not known: joining voice rooms has many. */
function findCauses(arrival: Arrival, { byKey, byMark, presses, deleted }: Causes): readonly Happened[] | 'nobody' {
  const { event, data } = arrival.envelope
  const { message } = data as { message?: { id: string; text?: string; streaming?: string } }
  // By its bot or the portal: ends are checked with streams.
  if (event === 'message.updated' && message?.streaming !== undefined) return []
  const candidates = byKey.get(keyOf(arrival)) ?? []
  const before = candidates.filter(({ from }) => from <= arrival.at)
  if (candidates.length > 0) return before.length > 0 ? before.toReversed() : candidates.slice(0, 1)
  const orNobody = (cause: Happened | undefined): readonly Happened[] | 'nobody' => (cause ? [cause] : 'nobody')
  if (event === 'message.created') {
    const mark = markOf(message?.text ?? '')
    return mark === '' ? [] : orNobody(byMark.get(mark))
  }
  if (event === 'component.pressed') return orNobody(presses.get(pressOf(data, data['user'] as { id: string })))
  if (event === 'message.updated') return deleted.has(message?.id ?? '') ? [] : 'nobody'
  return CAUSED.has(event) ? 'nobody' : []
}

const CAUSED: ReadonlySet<string> = new Set([
  'message.deleted',
  'reaction.added',
  'reaction.removed',
  'message.pinned',
  'message.unpinned',
  'notice.shown',
])

interface Wrong {
  readonly rule: 'delivery' | 'traces'
  /** What it got. */
  readonly what: string
  readonly shownBy: readonly Exchange[]
}

function wrongOf(
  { run, faults, texts }: Subject,
  receiver: Receiver,
  knowledge: Knowledge,
  arrival: Arrival,
  cause: Happened,
): Wrong | undefined {
  const { actor } = receiver
  const { exchange, event, from, to } = cause
  const { message } = arrival.envelope.data as { message?: { id: string; text?: string } }
  const shownBy = [exchange]
  if (!isFor(receiver, cause)) {
    if (changedPrivacy(run, cause, arrival)) return undefined
    return { rule: 'delivery', what: 'an event that is not for it', shownBy }
  }
  const knows = knowledge.of(cause)
  const sent = { from: faults.earliestSent(arrival.at), to: arrival.at }
  const isAllowedNow = knows.during(sent)
  // Who may read a room may read what was written before, so a portal may get it. Bots get only what they could read then.
  // A voice room that turns public later says who is inside.
  const then = { from, to: isVoice(event) ? arrival.at : Math.min(to, arrival.at) }
  const isAllowedThen = knows.during(then)
  const isRegained = receiver.transport === 'portal' && isAllowedNow !== 'no'
  if (isAllowedThen === 'no' && !isRegained && !isOwnMembership(cause, actor.id)) {
    return { rule: 'delivery', what: `what ${actor.name} may not know of`, shownBy }
  }
  if (isAllowedNow === 'no' && to < sent.from && !isVoice(event) && !isOwnMembership(cause, actor.id)) {
    return { rule: 'delivery', what: 'an event long after losing the right to it', shownBy }
  }
  const deletedAt = message ? texts.deletedAt(message.id) : Infinity
  if (markOf(message?.text ?? '') === '' || deletedAt >= sent.from) return undefined
  return { rule: 'traces', what: 'the text of a deleted message', shownBy: deletionsOf(texts, message?.id) }
}

function deletionsOf(texts: Subject['texts'], id = ''): Exchange[] {
  return (texts.messages.get(id)?.deletions ?? []).filter(isDone)
}

/** Who was in a public voice room stays no secret when it turns private: what was held back tells of both. */
function isVoice(event: string): boolean {
  return event.startsWith('voice.')
}

/** A voice room that turns private, or public again, says that everyone inside leaves or joins, to them as well. */
function changedPrivacy({ byOperation }: Run, { event, roomId, from }: Happened, arrival: Arrival): boolean {
  const changes = isVoice(event) ? (byOperation.get('updateRoom') ?? []) : []
  return changes.some((change) => {
    const { args, at } = change
    const isMeant = args['roomId'] === roomId && args['private'] !== undefined
    return isMeant && !isRefused(change) && from < at && at <= arrival.at
  })
}

/** Who leaves a channel is the last to get its events. */
function isOwnMembership({ roomId, key }: Happened, who: string): boolean {
  return roomId === undefined && key.endsWith(who)
}
