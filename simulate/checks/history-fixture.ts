import type { Actor, Entry, Envelope, Timed } from '../history/history.ts'
import { checkRun } from './check.ts'
import { indexRun } from '../model/run-builder.ts'
import type { Check, Violation } from './violation.ts'

type Added = Timed<Entry> & { readonly at: number }

export const CHANNEL = 'channel'
export const ROOM = 'room'
export const IN_ROOM = { channelId: CHANNEL, roomId: ROOM }
export const ada: Actor = { name: 'Ada', id: 'ada', kind: 'person' }
export const ben: Actor = { name: 'Ben', id: 'ben', kind: 'person' }
export const bot: Actor = { name: 'Anchor', id: 'anchor', kind: 'bot' }

const QUOTA = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' }

export interface Answered {
  readonly status?: number
  readonly body?: unknown
  /** How long the answer took, in milliseconds. */
  readonly took?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly [option: string]: unknown
}

/** A history that is written by hand: requests follow each other by a second, unless a time is set. */
export class WrittenHistory {
  readonly entries: Entry[] = []
  #now = 0
  #calls = 0

  constructor({ minutes = 0, faults = [] }: { readonly minutes?: number; readonly faults?: readonly string[] } = {}) {
    const head = { seed: 'by hand', mode: 'single' as const, faults, minutes, startedAt: '2026-01-01T00:00:00.000Z' }
    this.entries.push({ kind: 'head', at: 0, ...head })
  }

  at(time: number): this {
    this.#now = time
    return this
  }

  add(entry: Timed<Entry>): this {
    const added: Added = { ...entry, at: this.#now }
    this.entries.push(added as Entry)
    return this
  }

  /** A request with its answer; without a status, it is never answered. */
  call(actor: Actor, operation: string, args: Readonly<Record<string, unknown>> = {}, answered: Answered = {}): this {
    const { status, body = '', took = 10, headers = actor.kind === 'bot' ? QUOTA : {}, ...options } = answered
    const call = (this.#calls += 1)
    this.add({ kind: 'call', call, actor, operation, args, ...options } as Timed<Entry>)
    const end = this.#now + took
    if (status === undefined) this.entries.push({ kind: 'lost', call, at: end, why: 'hung up' })
    else this.entries.push({ kind: 'return', call, at: end, status, body, headers })
    this.#now += 1000
    return this
  }

  event(receiver: string, event: string, data: Envelope['data'], offset = 0): this {
    const timestamp = new Date(Date.parse('2026-01-01T00:00:00.000Z') + this.#now).toISOString()
    return this.add({ kind: 'event', receiver, offset, envelope: { event, timestamp, channelId: CHANNEL, data } })
  }

  quiet(): this {
    return this.at(this.#now + 20_000).add({ kind: 'phase', phase: 'quiet' })
  }

  violations(check: Check): readonly Violation[] {
    return checkRun(indexRun(this.entries), [check]).violations
  }

  /** What is violated, in words. */
  findings(check: Check): string[] {
    return this.violations(check).map(({ what }) => what)
  }
}

/** A channel of Ada’s with an ordinary text room, of which Ben and a bot are members. */
export function withChannel(options?: ConstructorParameters<typeof WrittenHistory>[0]): WrittenHistory {
  const rights = 'read_text_room write_text_room edit_text_msg_you_own delete_text_msg_you_own react_text_msg'.split(
    ' ',
  )
  const roles = [
    { id: 'moderator', systemName: 'CHANNEL_MODERATOR', rights: [...rights, 'pin_text_msg', 'kick_member'] },
    { id: 'member', systemName: 'CHANNEL_MEMBER', rights: [...rights, 'join_voice_room'] },
    { id: 'bot', systemName: 'CHANNEL_BOT', rights },
  ]
  const application = { id: 'application', bot: { id: bot.id } }
  return new WrittenHistory(options)
    .call(ada, 'createChannel', { name: 'Harbor' }, { status: 201, body: { id: CHANNEL } })
    .call(ada, 'createRoom', { channelId: CHANNEL, name: 'quay', type: 'text' }, { status: 201, body: { id: ROOM } })
    .call(ada, 'listRoles', { channelId: CHANNEL }, { status: 200, body: { roles } })
    .call(ben, 'join', { channelId: CHANNEL }, { status: 200, body: {} })
    .call(ada, 'createApplication', { name: bot.name }, { status: 201, body: application })
    .call(ada, 'install', { channelId: CHANNEL, applicationId: application.id }, { status: 200, body: {} })
}

export function sent(id: string): Answered {
  return { status: 201, body: { id, createdAt: `2026-01-01T00:00:00.${id.padStart(3, '0')}Z` } }
}

export interface Shown {
  readonly id: string
  readonly text: string
  readonly author?: Actor
  readonly [field: string]: unknown
}

/** A page of the room, newest first. */
export function page(...messages: readonly Shown[]): Answered {
  const listed = messages.map(({ author = ben, ...message }) => ({
    createdAt: `2026-01-01T00:00:00.${message.id.padStart(3, '0')}Z`,
    author: { id: author.id },
    ...message,
  }))
  return { status: 200, body: { messages: listed, hasMore: false } }
}

/** What the owner reads when nobody acts anymore. */
export function readAtTheEnd(history: WrittenHistory, ...messages: readonly Shown[]): WrittenHistory {
  return history.quiet().call(ada, 'read', { ...IN_ROOM, limit: 100 }, { ...page(...messages), isFinal: true })
}

export function refused(status: number, error: string, details: object = {}): Answered {
  return { status, body: { error, status: 'error', message: 'No.', ...details } }
}
