import type { Delivered, Received, Receiver } from '../history/history.ts'
import type { ReadMessage, ReadPage } from '../model/compact-body.ts'
import { may } from '../model/channel-state.ts'
import { isDone, of, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import { piecesIn, streamsOf, STREAM_LIMITS, type Stream } from '../model/streams.ts'
import { finalReads } from './final-messages.ts'
import { interruptionsOf } from './interruptions.ts'
import { Knowledge, kindsOf } from './knows.ts'
import type { Check, Findings, Subject } from './violation.ts'

type Arrival = Received | Delivered

/** In milliseconds: how long it may take beyond the silence until a message is interrupted, and portals are sent a piece. */
const LATE = 20_000
/** In milliseconds: the clocks of the service and of the client don’t tick alike. */
const CLOCKS = 1000

/**
 * What was acknowledged of a message that is written piece by piece is there once and in its place. It is being written until it ends, and
 * it ends in time when nobody writes anymore. Everyone learns of the end once, and portals are shown nothing but its text.
 */
export const checkStreams: Check = (subject, findings) => {
  const { run, texts, faults } = subject
  const streams = new Map(streamsOf(run, texts, faults).map((stream) => [stream.message.id, stream]))
  if (streams.size === 0) return
  const { messages, rooms } = finalReads(run.exchanges)
  for (const stream of streams.values()) {
    checkPositions(stream, findings)
    const stored = messages.get(stream.message.id)
    if (stored && rooms.has(stream.message.roomId) && isUnchanged(stream)) {
      findings.checked('streams', 'texts')
      checkText(stream, stored.text, ALWAYS, findings)
    }
  }
  for (const exchange of run.exchanges) {
    if ((exchange.operation !== 'read' && exchange.operation !== 'readHistory') || !isDone(exchange)) continue
    for (const message of (exchange.body as ReadPage).messages) {
      const stream = streams.get(message.id)
      if (stream && isUnchanged(stream)) checkRead(stream, message, exchange, subject, findings)
    }
  }
  checkArrivals(streams, subject, findings)
}

/** Neither edited nor perhaps deleted. */
function isUnchanged({ message }: Stream): boolean {
  return message.texts.length === 1 && message.deletions.length === 0
}

/** Only its bot appends, and knows where its text ends. */
function checkPositions({ message, refusals }: Stream, findings: Findings): void {
  for (const refusal of refusals) {
    const { reason } = refusal.body as { reason?: string }
    if (reason === 'wrong_position') findings.violated('streams', 'a position is refused', message.sent, refusal)
  }
}

const ALWAYS = { at: Infinity, end: Infinity }

/** The text consists of the beginning and of all pieces up to one of them; those that were acknowledged before are there. */
function checkText(
  { message, beginning, appends, refusals }: Stream,
  text: string,
  read: Pick<Exchange, 'at' | 'end'>,
  findings: Findings,
): void {
  const written = new Map<number, string>()
  for (const { args } of [...appends, ...refusals])
    for (const piece of piecesIn(String(args['text']))) written.set(piece.number, piece.text)
  const pieces = text.startsWith(beginning) ? piecesIn(text.slice(beginning.length)) : []
  const known = pieces.map(({ number }) => written.get(number) ?? '').join('')
  if (text !== beginning + known) {
    return findings.violated('streams', `a message reads “${text}”`, message.sent, ...appends)
  }
  const missing = pieces.findIndex(({ number }, position) => number !== position + 1)
  if (missing !== -1) {
    const what = `piece ${pieces[missing]?.number} is in the place of piece ${missing + 1}`
    return findings.violated('streams', what, message.sent, ...appends)
  }
  const acknowledged = appends.filter((one) => isDone(one) && one.end < read.at)
  const lost = acknowledged.find((one) => lastPiece(one) > pieces.length)
  if (lost) findings.violated('streams', 'an acknowledged piece is missing', message.sent, lost)
  const possible = Math.max(0, ...appends.filter(({ at }) => at < read.end).map(lastPiece))
  if (pieces.length > possible) {
    const refused = refusals.filter((one) => lastPiece(one) > possible)
    findings.violated('streams', 'a piece is there that was refused or not sent yet', message.sent, ...refused)
  }
}

function lastPiece({ args }: Exchange): number {
  return piecesIn(String(args['text'])).at(-1)?.number ?? 0
}

function checkRead(
  stream: Stream,
  { text, streaming }: ReadMessage,
  read: Exchange,
  subject: Subject,
  findings: Findings,
): void {
  const { message, finishes, activeUntil } = stream
  findings.checked('streams', `messages that are ${streaming ?? 'finished'}`)
  const fail = (what: string, ...others: Exchange[]): void =>
    findings.violated('streams', what, message.sent, ...others, read)
  if (streaming !== undefined) checkText(stream, text, read, findings)
  const finished = finishes.find((one) => isDone(one) && one.end < read.at)
  if (streaming === 'writing') {
    if (finished) fail('a message is being written after it has ended', finished)
    const overdue = activeUntil + STREAM_LIMITS.silence + LATE
    if (read.at > overdue && !subject.faults.explain({ from: activeUntil, to: read.end })) {
      fail('a message is being written though nobody writes anymore', ...stream.appends.slice(-1))
    }
    return
  }
  const ends = finishes.filter(({ at }) => at < read.end)
  const isByBot = ends.some(({ args }) => (args['interrupted'] === true) === (streaming === 'interrupted'))
  if (isByBot || (streaming === 'interrupted' && mayBeInterrupted(stream, read, subject))) return
  fail(`a message is ${streaming ?? 'finished'} though nobody has ended it`)
}

/** Nothing was written for so long, or the bot may not have been allowed to. */
function mayBeInterrupted({ message, activeFrom }: Stream, { end }: Exchange, { timeline, faults }: Subject): boolean {
  const { from, channelId, roomId, authorId } = message
  const during = { from, to: end }
  if (end - activeFrom + CLOCKS > STREAM_LIMITS.silence || faults.clockError(0, end) > 0) return true
  return timeline.ask(channelId, during, (state) => may(state, authorId, 'write_text_room', roomId, during)) !== 'yes'
}

function checkArrivals(streams: ReadonlyMap<string, Stream>, subject: Subject, findings: Findings): void {
  const { run, timeline } = subject
  const shown = groupBy(of(run.entries, 'shown room'), ({ receiver }) => receiver)
  for (const receiver of new Map(run.receivers.map((one) => [one.receiver, one])).values()) {
    const knowledge = new Knowledge(timeline, receiver.actor)
    const own = groupBy(run.arrivals.get(receiver.receiver) ?? [], streamIn)
    for (const [id, stream] of streams) {
      const arrivals = own.get(id) ?? []
      checkEnds(stream, receiver, arrivals, knowledge, subject, findings)
      checkAppended(stream, receiver, arrivals, knowledge, subject, findings)
      checkShown(stream, receiver, arrivals, shown.get(receiver.receiver) ?? [], knowledge, subject, findings)
    }
  }
}

function streamIn({ envelope }: Arrival): string {
  const { message, messageId } = envelope.data as { message?: { id: string }; messageId?: string }
  return message?.id ?? messageId ?? ''
}

/** Who learned of the beginning learns of the end, exactly once, and with the whole text. */
function checkEnds(
  stream: Stream,
  receiver: Receiver,
  arrivals: readonly Arrival[],
  knowledge: Knowledge,
  { run, faults }: Subject,
  findings: Findings,
): void {
  const { message, activeUntil, appends } = stream
  // Of a webhook, several attempts are one delivery.
  const ends = new Map(arrivals.filter(isEnd).map((one) => [one.kind === 'event' ? one.offset : one.delivery, one]))
  const [first, second] = ends.values()
  if (first && second) {
    findings.violated('delivery', `${receiver.receiver} learned twice that a message has ended`, first, second)
  }
  if (first && isUnchanged(stream)) {
    findings.checked('streams', 'ends')
    const { text = '' } = first.envelope.data['message'] as { text?: string }
    const before = { ...stream, appends: appends.filter(({ at }) => at < first.at) }
    if (text !== '') checkText(before, text, ALWAYS, findings)
  }
  const isOwn = receiver.transport !== 'portal' && receiver.actor.id === message.authorId
  if (first || isOwn || !isUnchanged(stream) || !arrivals.some(({ envelope }) => envelope.event === 'message.created'))
    return
  if (receiver.transport !== 'portal' && !kindsOf(receiver).includes('message.updated')) return
  const { ends: endsAt } = interruptionsOf(run, receiver)
  const lived = { from: message.from, to: run.quietAt }
  if (endsAt < run.quietAt || run.quietAt === Infinity || knowledge.of(eventIn(stream)).during(lived) !== 'yes') return
  if (activeUntil + STREAM_LIMITS.silence + LATE > run.quietAt) return
  if (faults.explain({ from: activeUntil, to: run.quietAt }) && receiver.transport === 'webhook') return
  findings.violated('delivery', `${receiver.receiver} never learned that a message has ended`, message.sent)
}

function isEnd({ envelope }: Arrival): boolean {
  const { streaming } = (envelope.data['message'] ?? {}) as { streaming?: string }
  return envelope.event === 'message.updated' && streaming !== undefined
}

function isAppended({ envelope }: Arrival): boolean {
  return envelope.event === 'message.appended'
}

function eventIn({ message: { channelId, roomId } }: Stream) {
  return { event: 'message.appended', channelId, roomId }
}

/** What a portal is sent is at its place in the text, and only who may read the room is sent it. */
function checkAppended(
  { message, beginning, appends }: Stream,
  receiver: Receiver,
  arrivals: readonly Arrival[],
  knowledge: Knowledge,
  { faults }: Subject,
  findings: Findings,
): void {
  const appended = arrivals.filter(isAppended)
  if (appended.length === 0) return
  const whole = [...textOf(beginning, appends)]
  for (const arrival of appended) {
    const { position, text } = arrival.envelope.data as { position: number; text: string }
    findings.checked('streams', 'pieces in portals')
    if (whole.slice(position, position + [...text].length).join('') !== text) {
      findings.violated('streams', `${receiver.receiver} was sent text that isn’t there`, message.sent, arrival)
    }
    const sent = { from: faults.earliestSent(arrival.at), to: arrival.at }
    if (knowledge.of({ event: 'message.appended', ...message }).during(sent) === 'no') {
      findings.violated('delivery', `${receiver.receiver} was sent text of a room that it may not read`, arrival)
    }
  }
}

/** The longest text that may have been written. */
function textOf(beginning: string, appends: readonly Exchange[]): string {
  const pieces = new Map<number, string>()
  for (const { args } of appends)
    for (const piece of piecesIn(String(args['text']))) pieces.set(piece.number, piece.text)
  return (
    beginning +
    [...pieces]
      .toSorted(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join('')
  )
}

/** A portal that shows the room all the time, on a connection that works, has every piece soon. */
function checkShown(
  stream: Stream,
  { receiver }: Receiver,
  arrivals: readonly Arrival[],
  shown: readonly { readonly at: number; readonly roomId: string; readonly what: 'shown' | 'hidden' }[],
  knowledge: Knowledge,
  { run, faults }: Subject,
  findings: Findings,
): void {
  const { message, appends, beginning } = stream
  if (!isUnchanged(stream)) return
  for (const append of appends.filter(isDone)) {
    const during = { from: append.at, to: append.end + LATE }
    const last = shown.findLast(({ at }) => at < append.at)
    if (last?.what !== 'shown' || last.roomId !== message.roomId) continue
    const isInterrupted =
      faults.explain(during) ||
      shown.some(({ at }) => at >= during.from && at <= during.to) ||
      (run.connections.get(receiver) ?? []).some(({ at }) => at >= last.at && at <= during.to) ||
      during.to > run.quietAt
    if (isInterrupted || knowledge.of(eventIn(stream)).during(during) !== 'yes') continue
    findings.checked('streams', 'pieces that portals show')
    const position = lengthAfter(append)
    const has = arrivals.some((arrival) => arrival.at <= during.to && lengthIn(arrival, beginning) >= position)
    if (!has) findings.violated('streams', `${receiver} shows the room and was not sent a piece`, message.sent, append)
  }
}

function lengthAfter({ args }: Exchange): number {
  return Number(args['position']) + [...String(args['text'])].length
}

/** How much of the text a portal has with it. */
function lengthIn(arrival: Arrival, beginning: string): number {
  const { position, text } = arrival.envelope.data as { position?: number; text?: string }
  if (isAppended(arrival)) return (position ?? 0) + [...(text ?? '')].length
  return isEnd(arrival) ? Infinity : [...beginning].length
}
