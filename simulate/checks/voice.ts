import type { Delivered, Received } from '../history/history.ts'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { groupBy } from '../model/group-by.ts'
import { interruptionsOf } from './interruptions.ts'
import { Knowledge } from './knows.ts'
import type { Check, Subject } from './violation.ts'

/** In milliseconds: who joins and does not connect is taken out after a minute. */
const STAYS = 50_000
/** What takes someone else out of a voice room, or puts them into one. */
const MODERATION: ReadonlySet<string> = new Set([
  'disconnect',
  'move',
  'kick',
  'ban',
  'leave',
  'uninstall',
  'deleteRoom',
  'updateRoom',
])

/** Someone entered or left a voice room for sure, and it was a change. */
interface Stay {
  readonly exchange: Exchange
  readonly event: 'voice.member_joined' | 'voice.member_left'
  readonly channelId: string
  readonly roomId: string
  /** When it can have happened at the earliest: who loses the connection to the media server is out before they leave. */
  readonly from: number
}

/** Members who see a voice room get its joins and leaves; bots get those of public rooms, except their own. */
export const checkVoice: Check = (subject, findings) => {
  const stays = staysIn(subject)
  const arrivals = new Map<string, readonly (Received | Delivered)[]>()
  for (const [receiver, own] of subject.run.arrivals) {
    arrivals.set(
      receiver,
      own.filter(({ envelope }) => envelope.event.startsWith('voice.member_')),
    )
  }
  const joined = new Set<string>()
  for (const { operation, actor } of subject.run.exchanges) if (operation === 'joinVoice') joined.add(actor.id)
  for (const own of arrivals.values()) {
    for (const arrival of own) {
      findings.checked('delivery', 'voice events')
      if (joined.has(userIn(arrival))) continue
      findings.violated(
        'delivery',
        `${arrival.receiver} got a voice event of someone who was never in a voice room`,
        arrival,
      )
    }
  }
  for (const receiver of new Map(subject.run.receivers.map((one) => [one.receiver, one])).values()) {
    if (receiver.transport === 'webhook') continue
    const { began, ends } = interruptionsOf(subject.run, receiver)
    const knowledge = new Knowledge(subject.timeline, receiver.actor)
    const own = groupBy(arrivals.get(receiver.receiver) ?? [], (arrival) => keyOf(arrival))
    for (const stay of stays) {
      const { exchange, event, channelId, from } = stay
      if (exchange.at < began || exchange.end > Math.min(ends, subject.run.quietAt)) continue
      if (receiver.transport !== 'portal' && exchange.actor.id === receiver.actor.id) continue
      const knows = knowledge.of(stay)
      if (knows.during({ from: exchange.at, to: exchange.end }) !== 'yes') continue
      const came = own.get(`${event} ${channelId} ${exchange.actor.id}`)?.some(({ at }) => at >= from)
      const until = timeOfCertainty(subject, ends)
      if (!came && knows.holdsUntil(exchange.at) <= until) continue
      findings.checked('delivery', event)
      if (!came) findings.violated('delivery', `${receiver.receiver} missed ${event}`, exchange)
    }
  }
}

function timeOfCertainty({ run }: Subject, ends: number): number {
  return ends < run.quietAt ? Infinity : run.quietAt
}

/** Joins of those who were certainly outside, and departures of those who were certainly inside. */
function staysIn({ run, timeline }: Subject): Stay[] {
  const stays: Stay[] = []
  const acts = groupBy(
    run.exchanges.filter(
      (one) =>
        !isRefused(one) &&
        (one.operation.endsWith('Voice') || MODERATION.has(one.operation)) &&
        !/mute/i.test(one.operation),
    ),
    ({ args }) => String(args['channelId']),
  )
  for (const [channelId, inChannel] of acts) {
    if (!timeline.channelIds.includes(channelId)) continue
    const people = groupBy(
      inChannel.filter(({ operation }) => operation === 'joinVoice' || operation === 'leaveVoice'),
      ({ actor }) => actor.id,
    )
    for (const [who, own] of people) {
      const others = inChannel.filter((other) => concerns(other, who))
      stays.push(...staysOf(channelId, own, others))
    }
  }
  return stays
}

/** `others`: everything that concerns this person, in the channel. */
function staysOf(channelId: string, own: readonly Exchange[], others: readonly Exchange[]): Stay[] {
  const stays: Stay[] = []
  /** Undefined: unknown. Null: outside. */
  let where: { readonly roomId: string; readonly since: Exchange } | null | undefined = null
  let previous: Exchange | undefined
  for (const exchange of own) {
    const { operation, args, at, end } = exchange
    const roomId = String(args['roomId'])
    if (previous && disturbed(previous, exchange, others)) where = undefined
    if (where && at - where.since.end > STAYS) where = undefined
    previous = exchange
    if (!isDone(exchange)) {
      where = undefined
      continue
    }
    const isAlone = !others.some((other) => other !== exchange && other.at < end && other.end > at)
    if (operation === 'joinVoice') {
      if (where === null && isAlone) stays.push({ exchange, event: 'voice.member_joined', channelId, roomId, from: at })
      where = isAlone ? { roomId, since: exchange } : undefined
    } else if (where && where.roomId === roomId && isAlone) {
      const from = where.since.at
      if (end - from < STAYS) stays.push({ exchange, event: 'voice.member_left', channelId, roomId, from })
      where = null
    }
  }
  return stays
}

/** Whether someone else may have moved or removed this person in between. */
function disturbed(from: Exchange, to: Exchange, others: readonly Exchange[]): boolean {
  return others.some((other) => MODERATION.has(other.operation) && other.end > from.at && other.at < to.end)
}

function concerns({ operation, args, actor }: Exchange, who: string): boolean {
  if (operation === 'deleteRoom' || operation === 'updateRoom') return true
  return args['userId'] === undefined ? actor.id === who || operation === 'uninstall' : args['userId'] === who
}

function keyOf({ envelope: { event, channelId, data } }: Received | Delivered): string {
  return `${event} ${channelId} ${(data as { user?: { id: string } }).user?.id}`
}

function userIn({ envelope: { data } }: Received | Delivered): string {
  return (data as { user?: { id: string } }).user?.id ?? ''
}
