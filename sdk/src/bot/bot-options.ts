import type { ClientOptions } from '../client/client.ts'
import type { Profile, Scope } from '../client/resources.ts'
import type { BotEvent } from '../events/event.ts'
import type { EventOrder } from '../events/event-order.ts'
import type { Position, PositionStore } from '../events/positions.ts'
import type { WebSocketConstructor } from '../events/web-socket.ts'
import type { Retry, RetryOptions } from './retry.ts'
import type { SessionOptions } from './sessions.ts'

/** How to run a bot. */
export interface BotOptions<Session = unknown> extends Omit<ClientOptions, 'userToken'> {
  /**
   * Where the bot remembers which events it has handled. By default in memory, so that a restarted bot begins with new events;
   * with `filePositions` it continues where it was.
   */
  readonly positions?: PositionStore | undefined
  /** By default the `WebSocket` of the platform; on Node 20 that of the package `ws`, if it is installed. */
  readonly webSocket?: WebSocketConstructor | undefined
  /**
   * How a handler that fails with a temporary error, such as while the portal is away, is run again. By default for an hour,
   * not counting the time without a connection; `false`: never.
   */
  readonly retry?: RetryOptions | false | undefined
  /**
   * The scopes that the handlers need, such as `messages:write`, so that a key without them is refused at the start. `events` for
   * the stream and `commands` for the commands are checked in any case.
   */
  readonly scopes?: readonly Scope[] | undefined
  /**
   * What the bot remembers between events, as `ctx.session`: of each person in each room, unless `key` says otherwise. It is kept in
   * `positions`, and saved together with the position, so that a crash neither loses a change nor makes it twice.
   */
  readonly session?: SessionOptions<Session> | undefined
  /**
   * Which events are handled one after another, in the order in which they happened: those of a `room` (the default), those of an
   * `author`, who wrote, reacted or pressed, or `none`. All others are handled at the same time.
   */
  readonly order?: EventOrder | undefined
  /** How many handlers run at the same time. By default 100. A handler that waits to be run again doesn't count. */
  readonly concurrency?: number | undefined
}

/** What happens to the bot itself. */
export interface BotLifecycle {
  /** The bot is ready: it knows its profile and gets events. */
  started: Profile
  /**
   * Something that needs someone's attention but isn't an error: the portal is away at the start, or the bot isn't installed
   * anywhere. Printed if there is no handler.
   */
  warning: string
  /** The event stream is connected, for the first time or again. */
  connected: Position
  /** The connection was lost. The bot reconnects by itself, and recovers what it missed. */
  disconnected: string
  /**
   * The bot was away for too long (more than 72 hours or 10,000 events), or the portal was restored from a backup: some events
   * before this position are missing. Reload what you need, such as with `client.history`.
   */
  gap: Position
  /** A handler failed with a temporary error, and is run again. */
  retry: Retry
}

/** Called with what a handler threw and the event it was for, or with what ended the bot. */
export type ErrorHandler = (error: unknown, event?: BotEvent) => void
