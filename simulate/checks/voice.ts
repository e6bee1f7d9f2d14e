import type { Delivered, Received } from '../history.ts'
import { isDone, isRefused, type Exchange } from '../model/exchanges.ts'
import { groupBy } from './group-by.ts'
import { interruptionsOf } from './interruptions.ts'
import { mayKnow } from './knows.ts'
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
}

/** Members who see a voice room get its joins and leaves; bots get those of public rooms, except their own. */
export const checkVoice: Check = (subject, findings) => {
  const stays = staysIn(subject)
  const arrivals = groupBy<Received | Delivered>(
    [...subject.run.events, ...subject.run.deliveries],
    ({ receiver }) => receiver,
  )
  const joined = new Set<string>()
  for (const { operation, actor } of subject.run.exchanges) if (operation === 'joinVoice') joined.add(actor.id)
  for (const own of arrivals.values()) {
    for (const arrival of own) {
      if (!arrival.envelope.event.startsWith('voice.member_')) continue
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
    const own = groupBy(arrivals.get(receiver.receiver) ?? [], (arrival) => keyOf(arrival))
    for (const stay of stays) {
      const { exchange, event, channelId, roomId } = stay
      if (exchange.at < began || exchange.end > Math.min(ends, subject.run.quietAt)) continue
      if (receiver.transport !== 'portal' && exchange.actor.id === receiver.actor.id) continue
      const knows = (state: Parameters<typeof mayKnow>[0]) => mayKnow(state, receiver.actor, event, roomId) === 'yes'
      const during = { from: exchange.at, to: exchange.end }
      if (subject.timeline.ask(channelId, during, knows) !== 'yes') continue
      const came = own.get(`${event} ${channelId} ${exchange.actor.id}`)?.some(({ at }) => at >= exchange.at)
      const until = timeOfCertainty(subject, ends)
      if (!came && subject.timeline.holdsUntil(channelId, exchange.at, knows) <= until) continue
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
    for (const own of people.values()) stays.push(...staysOf(channelId, own, inChannel))
  }
  return stays
}

function staysOf(channelId: string, own: readonly Exchange[], others: readonly Exchange[]): Stay[] {
  const stays: Stay[] = []
  /** Undefined: unknown. Null: outside. */
  let where: { readonly roomId: string; readonly since: Exchange } | null | undefined = null
  let previous: Exchange | undefined
  for (const exchange of own) {
    const { operation, args, at, end, actor } = exchange
    const roomId = String(args['roomId'])
    if (previous && disturbed(previous, exchange, actor.id, others)) where = undefined
    if (where && at - where.since.end > STAYS) where = undefined
    previous = exchange
    if (!isDone(exchange)) {
      where = undefined
      continue
    }
    const isAlone = !others.some(
      (other) => other !== exchange && concerns(other, actor.id) && other.at < end && other.end > at,
    )
    if (operation === 'joinVoice') {
      if (where === null && isAlone) stays.push({ exchange, event: 'voice.member_joined', channelId, roomId })
      where = isAlone ? { roomId, since: exchange } : undefined
    } else if (where && where.roomId === roomId && isAlone) {
      if (end - where.since.at < STAYS) stays.push({ exchange, event: 'voice.member_left', channelId, roomId })
      where = null
    }
  }
  return stays
}

/** Whether someone else may have moved or removed this person in between. */
function disturbed(from: Exchange, to: Exchange, who: string, others: readonly Exchange[]): boolean {
  return others.some(
    (other) => MODERATION.has(other.operation) && concerns(other, who) && other.end > from.at && other.at < to.end,
  )
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
