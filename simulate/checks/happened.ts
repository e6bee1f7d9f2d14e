import type { Delivered, Envelope, Received } from '../history/history.ts'
import { isDone, isRefused, isSending, type Exchange } from '../model/exchanges.ts'
import { markOf } from '../model/marks.ts'
import { effectsOf, writeOf, type Write } from '../model/writes.ts'
import type { Subject } from './violation.ts'

/** An event that a request has caused, or may have caused. */
export interface Happened {
  readonly exchange: Exchange
  readonly event: string
  readonly channelId: string
  /** Undefined for what concerns the whole channel. */
  readonly roomId: string | undefined
  /** What the event is about. Equal to that of the envelope. */
  readonly key: string
  /** It happened between these times. */
  readonly from: number
  readonly to: number
  /** The change was made, so the event exists. */
  readonly isSure: boolean
}

const known = new WeakMap<Subject, readonly Happened[]>()

/** All events that requests have caused, in the order of the requests. */
export function happenedIn(subject: Subject): readonly Happened[] {
  let happened = known.get(subject)
  if (!happened) known.set(subject, (happened = findHappened(subject)))
  return happened
}

function findHappened(subject: Subject): Happened[] {
  const { run, faults } = subject
  const effects = new Map([...toggles(subject), ...memberships(subject)])
  const happened: Happened[] = []
  for (const exchange of run.exchanges) {
    if (isRefused(exchange)) continue
    const about = aboutOf(exchange)
    if (!about || isRepeated(exchange, subject)) continue
    const effect = effects.get(exchange)
    if (effect === 'unchanged') continue
    const { channelId = '', roomId } = exchange.args as { channelId?: string; roomId?: string }
    happened.push({
      exchange,
      event: about.event,
      key: `${about.event} ${about.key}`,
      channelId,
      roomId: ROOMLESS.has(about.event) ? undefined : roomId,
      from: firstAttempt(exchange, subject),
      to: faults.latestEffect(exchange),
      isSure: isDone(exchange) && effect !== 'unsure' && !MAYBE.has(about.event),
    })
  }
  return happened
}

/** Who joins a voice room may be there already, and who gets a notice may have no portal open. */
const MAYBE: ReadonlySet<string> = new Set(['voice.member_joined', 'notice.shown'])

const ROOMLESS: ReadonlySet<string> = new Set(['member.joined', 'member.left'])

/** A message whose first request got no answer may have been sent by it. */
function firstAttempt(exchange: Exchange, { texts }: Subject): number {
  if (!isSending(exchange) || !isDone(exchange)) return exchange.at
  return texts.messages.get((exchange.body as { id: string }).id)?.from ?? exchange.at
}

/** Another answer to a request that was sent more than once with one key. */
function isRepeated(exchange: Exchange, { texts }: Subject): boolean {
  if (!isSending(exchange) || !isDone(exchange)) return false
  const message = texts.messages.get((exchange.body as { id: string }).id)
  return message !== undefined && message.sent !== exchange
}

interface About {
  readonly event: string
  readonly key: string
}

function aboutOf({ operation, args, actor, body }: Exchange): About | undefined {
  const { messageId = '', emoji = '', text = '', userId = '', roomId = '' } = args as Record<string, string>
  switch (operation) {
    case 'send':
    case 'startStream':
      return { event: 'message.created', key: (body as { id?: string } | undefined)?.id ?? markOf(text) }
    case 'edit':
      return { event: 'message.updated', key: `${messageId} ${markOf(text)}` }
    case 'delete':
      return { event: 'message.deleted', key: messageId }
    case 'react':
      return { event: 'reaction.added', key: `${messageId} ${emoji} ${actor.id}` }
    case 'unreact':
      return { event: 'reaction.removed', key: `${messageId} ${emoji} ${actor.id}` }
    case 'pin':
      return { event: 'message.pinned', key: messageId }
    case 'unpin':
      return { event: 'message.unpinned', key: messageId }
    case 'join':
      return { event: 'member.joined', key: `${String(args['channelId'])} ${actor.id}` }
    case 'leave':
      return { event: 'member.left', key: `${String(args['channelId'])} ${actor.id}` }
    case 'kick':
    case 'ban':
      return { event: 'member.left', key: `${String(args['channelId'])} ${userId}` }
    case 'joinVoice':
      return { event: 'voice.member_joined', key: `${roomId} ${actor.id}` }
    case 'press':
      return { event: 'component.pressed', key: (body as { id?: string } | undefined)?.id ?? '' }
    case 'showNotice':
      return { event: 'notice.shown', key: String(args['noticeId']) }
    default:
      return undefined
  }
}

const keys = new WeakMap<Envelope, string>()

/** The same for the event as it arrived. */
export function keyOf({ envelope }: Received | Delivered): string {
  let key = keys.get(envelope)
  if (key === undefined) keys.set(envelope, (key = keyIn(envelope)))
  return key
}

function keyIn({ event, channelId, data }: Envelope): string {
  const { message, messageId, emoji, user, userId, roomId, pressId, notice } = data as Record<string, string> & {
    message?: { id: string; text?: string; streaming?: string }
    notice?: { id: string }
    user?: { id: string }
  }
  switch (event) {
    case 'message.updated':
      return `${event} ${message?.id} ${message?.streaming ?? markOf(message?.text ?? '')}`
    case 'message.created':
    case 'message.deleted':
      return `${event} ${message?.id}`
    case 'reaction.added':
    case 'reaction.removed':
      return `${event} ${messageId} ${emoji} ${user?.id}`
    case 'message.pinned':
    case 'message.unpinned':
      return `${event} ${messageId}`
    case 'member.joined':
    case 'member.left':
      return `${event} ${channelId} ${userId}`
    case 'voice.member_joined':
      return `${event} ${roomId} ${user?.id}`
    case 'component.pressed':
      return `${event} ${pressId}`
    case 'notice.shown':
      return `${event} ${notice?.id}`
    default:
      return event
  }
}

/** Whether reactions and pins changed anything: only then there is an event. */
function* toggles({ run, faults }: Subject): Generator<[Exchange, 'changed' | 'unchanged' | 'unsure']> {
  const writes = new Map<string, Write<boolean>[]>()
  for (const exchange of run.exchanges) {
    const { operation, args, actor } = exchange
    const toggle = TOGGLES[operation]
    if (!toggle) continue
    const write = writeOf(exchange, toggle.value, faults)
    if (write)
      add(
        writes,
        `${toggle.of} ${String(args['messageId'])} ${toggle.of === 'pin' ? '' : `${String(args['emoji'])} ${actor.id}`}`,
        write,
      )
  }
  for (const own of writes.values()) yield* effectsOf(own, false)
}

const TOGGLES: Partial<Record<string, { readonly of: 'pin' | 'reaction'; readonly value: boolean }>> = {
  react: { of: 'reaction', value: true },
  unreact: { of: 'reaction', value: false },
  pin: { of: 'pin', value: true },
  unpin: { of: 'pin', value: false },
}

/** Whether someone became a member, or ceased to be one. */
function* memberships({ run, faults }: Subject): Generator<[Exchange, 'changed' | 'unchanged' | 'unsure']> {
  const writes = new Map<string, Write<boolean>[]>()
  for (const exchange of run.exchanges) {
    const { operation, args, actor } = exchange
    const isMember = MEMBERSHIPS[operation]
    if (isMember === undefined) continue
    const who = operation === 'join' || operation === 'leave' ? actor.id : String(args['userId'])
    const write = writeOf(exchange, isMember, faults)
    if (write) add(writes, `${String(args['channelId'])} ${who}`, write)
  }
  // Who creates a channel is its first member.
  const owners = new Set(
    run.exchanges.filter(isCreation).map(({ body, actor }) => `${(body as { id: string }).id} ${actor.id}`),
  )
  for (const [key, own] of writes) yield* effectsOf(own, owners.has(key))
}

function isCreation(exchange: Exchange): boolean {
  return exchange.operation === 'createChannel' && isDone(exchange)
}

const MEMBERSHIPS: Partial<Record<string, boolean>> = { join: true, leave: false, kick: false, ban: false }

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key)
  if (items) items.push(item)
  else map.set(key, [item])
}
