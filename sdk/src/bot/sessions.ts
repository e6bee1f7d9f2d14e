import { RoomOrder } from '../client/room-order.ts'
import { isAboutMessage, type BotEvent } from '../events/event.ts'
import type { PositionTracker } from '../events/position-tracker.ts'
import { RetryLaterError } from './retry.ts'

/** What a bot remembers between events. */
export interface SessionOptions<Session> {
  /** A session where there is none yet. It is stored as JSON. */
  readonly initial: () => Session
  /**
   * Events with the same key share a session, and are handled one after another; undefined: the event has none. By default
   * everyone has a session in every room, for what they write, react and press there.
   */
  readonly key?: ((event: BotEvent) => string | undefined) | undefined
}

/** A context of a bot with sessions. */
export interface WithSession<Session> {
  /**
   * What the bot remembers: change it or replace it; undefined forgets it. It is saved when the event is handled, and what a handler
   * that fails has changed isn't.
   */
  session: Session
}

/** The session during one run of a handler. */
export class SessionDraft {
  readonly #load: () => unknown
  #value: unknown
  #before: string | undefined
  #isLoaded = false

  constructor(load: () => unknown) {
    this.#load = load
  }

  get value(): unknown {
    if (!this.#isLoaded) {
      this.#value = this.#load()
      this.#before = toJson(this.#value)
      this.#isLoaded = true
    }
    return this.#value
  }

  set value(value: unknown) {
    void this.value
    this.#value = value
  }

  /** The session as JSON, or undefined if it is forgotten; without `to` nothing has changed. */
  get change(): { readonly to?: string | undefined } {
    const to = this.#isLoaded ? toJson(this.#value) : this.#before
    return to === this.#before ? {} : { to }
  }
}

/** The session of an event, while its handlers run. */
export class EventSession {
  readonly key: string
  readonly #initial: () => unknown
  readonly #load: () => Promise<string | undefined>
  #current: { readonly session: string | undefined } | undefined
  #isChanged = false

  constructor(key: string, initial: () => unknown, load: () => Promise<string | undefined>) {
    this.key = key
    this.#initial = initial
    this.#load = load
  }

  /** What the handlers before have left. A store that can't be read now may be later. */
  async draft(): Promise<SessionDraft> {
    this.#current ??= {
      session: await this.#load().catch((cause: unknown) => {
        throw new RetryLaterError({ cause })
      }),
    }
    const { session } = this.#current
    return new SessionDraft(() => (session === undefined ? this.#initial() : JSON.parse(session)))
  }

  keep({ change }: SessionDraft): void {
    if (!('to' in change)) return
    this.#current = { session: change.to }
    this.#isChanged = true
  }

  get change(): SessionChange | undefined {
    return this.#isChanged ? { key: this.key, session: this.#current?.session } : undefined
  }
}

/** A session as JSON; undefined if it is forgotten. */
export interface SessionChange {
  readonly key: string
  readonly session: string | undefined
}

/** The sessions of a bot. Events of a session are handled one after another, also if they are in different rooms. */
export class Sessions {
  readonly #options: SessionOptions<unknown>
  readonly #positions: PositionTracker
  readonly #order = new RoomOrder()

  constructor(options: SessionOptions<unknown>, positions: PositionTracker) {
    this.#options = options
    this.#positions = positions
  }

  /** Undefined if the event has none. */
  keyOf(event: BotEvent): string | undefined {
    const { key = roomAndAuthor } = this.#options
    return key(event)
  }

  run<Result>(key: string, work: (session: EventSession) => Promise<Result>): Promise<Result> {
    const load = (): Promise<string | undefined> => this.#positions.session(key)
    return this.#order.run(key, () => work(new EventSession(key, this.#options.initial, load)))
  }
}

function roomAndAuthor(event: BotEvent): string | undefined {
  if (!isAboutMessage(event)) return undefined
  const { data } = event
  return `${data.roomId} ${'message' in data ? data.message.author.id : data.user.id}`
}

/** Undefined for undefined. */
function toJson(value: unknown): string | undefined {
  return JSON.stringify(value)
}
