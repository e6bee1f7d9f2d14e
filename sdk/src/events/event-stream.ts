import type { Client } from '../client/client.ts'
import { DisplacedError, isTemporary, PorticoError, StreamClosedError } from '../client/errors.ts'
import type { EventToken } from '../client/resources.ts'
import { backoff, sleep } from '../client/sleep.ts'
import { Connection, type Ending } from './connection.ts'
import type { BotEvent, EventName } from './event.ts'
import type { Position } from './positions.ts'
import { findWebSocket, type WebSocketConstructor } from './web-socket.ts'

/** Codes of the portal: see docs/events.md. */
const DISPLACED = new Set([3504, 106])
const INVALID_TOKEN = new Set([3500, 109])

export interface EventStreamOptions {
  readonly client: Client
  /** What the bot receives; undefined: what the portal sends without being asked. */
  readonly kinds?: readonly EventName[] | undefined
  readonly webSocket?: WebSocketConstructor | undefined
  /** The stream is connected and delivers. `gap`: some events before this position are missing. */
  readonly onSubscribed: (position: Position, outcome: { readonly isGap: boolean }) => void
  /** Without a position: nobody waits for it later, so it isn’t recovered. */
  readonly onEvent: (event: BotEvent, position?: Position) => void
  /** The connection is lost, and will be opened again. */
  readonly onDisconnected: (reason: string) => void
}

/**
 * The event stream of the bot, over a WebSocket. After a lost connection it reconnects and recovers what it missed; every event
 * is delivered once, in order.
 */
export class EventStream {
  readonly #options: EventStreamOptions
  #position: Position | undefined
  #token: EventToken | undefined
  #failures = 0

  constructor(options: EventStreamOptions, since: Position | undefined) {
    this.#options = options
    this.#position = since
  }

  /** Receives until the signal is aborted. Throws if the portal closes the stream for good. */
  async run(signal: AbortSignal): Promise<void> {
    const WebSocket = this.#options.webSocket ?? (await findWebSocket())
    while (!signal.aborted) {
      try {
        const ending = await this.#connect(WebSocket, signal)
        if (signal.aborted) return
        this.#failures += 1
        this.#judge(ending)
        this.#options.onDisconnected(ending.reason || `close code ${ending.code}`)
      } catch (error) {
        if (signal.aborted) return
        if (!isTemporary(error)) throw error
        this.#failures += 1
        this.#options.onDisconnected(String(error))
      }
      await sleep(backoff(this.#failures - 1), signal).catch(() => {})
    }
  }

  async #connect(WebSocket: WebSocketConstructor, signal: AbortSignal): Promise<Ending> {
    const { client, kinds } = this.#options
    const renew = async (): Promise<EventToken> => {
      const token = await client.getEventToken(kinds ? { kinds: [...kinds] } : {}, { signal })
      if (!kinds || token.kinds) return token
      throw new PorticoError(
        `The portal is of an earlier version, which doesn’t send everything of ${kinds.join(', ')}.`,
      )
    }
    // The same token until it expires: that of a displaced process is rejected, so it can't displace the newer one.
    const token = (this.#token ??= await renew())
    return Connection.run({
      WebSocket,
      url: this.#socketUrl(token),
      token: token.token,
      channel: token.channel,
      since: this.#position,
      signal,
      renewToken: async () => (this.#token = await renew()).token,
      onSubscribed: (position, outcome) => this.#subscribed(position, outcome),
      onPublication: (data, offset) => this.#publish(data, offset),
    })
  }

  /** Throws if it is no use to connect again. */
  #judge({ code, reason, isFinal }: Ending): void {
    if (DISPLACED.has(code)) throw new DisplacedError()
    if (INVALID_TOKEN.has(code) && this.#failures === 1) this.#token = undefined
    else if (isFinal) throw new StreamClosedError(code, reason)
  }

  #subscribed(position: Position, outcome: { readonly isGap: boolean }): void {
    this.#failures = 0
    this.#position = position
    this.#options.onSubscribed(position, outcome)
  }

  #publish(data: unknown, offset: number | undefined): void {
    if (offset === undefined) {
      const event = data as Omit<BotEvent<'option.requested'>, 'id'>
      return this.#options.onEvent({ id: event.data.requestId, ...event })
    }
    if (!this.#position || offset <= this.#position.offset) return
    const { epoch } = this.#position
    this.#position = { epoch, offset }
    this.#options.onEvent({ id: `${epoch}-${offset}`, ...(data as object) } as BotEvent, this.#position)
  }

  /** On the host of the API: a bot in the portal's own network may not reach its public address. */
  #socketUrl({ url }: EventToken): string {
    const { pathname } = new URL(url)
    return this.#options.client.url.replace(/^http/, 'ws').replace(/\/*$/, pathname)
  }
}
