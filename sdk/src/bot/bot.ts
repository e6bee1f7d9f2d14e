import { Client, type ClientOptions } from '../client/client.ts'
import { declareCommands, type CommandDescription } from '../commands/declare-commands.ts'
import { PorticoError } from '../client/errors.ts'
import type { BotEvent, EventName } from '../events/event.ts'
import { EventStream } from '../events/event-stream.ts'
import { PositionTracker } from '../events/position-tracker.ts'
import { memoryPositions, type Position, type PositionStore } from '../events/positions.ts'
import type { WebSocketConstructor } from '../events/web-socket.ts'
import { Handlers, type CommandHandler, type EventHandler } from './handlers.ts'
import type { Profile } from '../client/resources.ts'
import { Voice } from '../voice/voice.ts'
import { webhookHandler, type WebhookHandler, type WebhookOptions } from '../webhook/webhook.ts'

/** How to run a bot. */
export interface BotOptions extends Omit<ClientOptions, 'userToken'> {
  /**
   * Where the bot remembers which events it has handled. By default in memory, so that a restarted bot begins with new events;
   * with `filePositions` it continues where it was.
   */
  readonly positions?: PositionStore | undefined
  /** By default the `WebSocket` of the platform; on Node 20 that of the package `ws`, if it is installed. */
  readonly webSocket?: WebSocketConstructor | undefined
}

/** What happens to the bot's own connection. */
export interface BotLifecycle {
  /** The event stream is connected, for the first time or again. */
  connected: Position
  /** The connection was lost. The bot reconnects by itself, and recovers what it missed. */
  disconnected: string
  /**
   * The bot was away for too long (more than 72 hours or 10,000 events), or the portal was restored from a backup: some events
   * before this position are missing. Reload what you need, such as with `client.history`.
   */
  gap: Position
}

/** Called with what a handler threw and the event it was for, or with what ended the bot. */
export type ErrorHandler = (error: unknown, event?: BotEvent) => void

/**
 * A bot: handlers for commands and events, and the connection that they arrive on.
 *
 * Every event is handled at least once, in order per room. What a handler throws goes to `onError`, and the bot continues.
 *
 * @example
 * const bot = new Bot({ url: 'http://localhost:3000', key: process.env.PORTICO_KEY })
 * bot.command('/hello', { description: 'Says hello' }, (ctx) => ctx.reply(`Hello, **${ctx.author.name}**!`))
 * await bot.start()
 */
export class Bot {
  /** The API of the portal. */
  readonly client: Client
  readonly voice: Voice
  /**
   * Resolves when the bot has stopped: with undefined after `stop`, or with the error that ended it, such as a
   * `DisplacedError`. It never rejects.
   */
  readonly closed: Promise<unknown>
  readonly #handlers: Handlers
  readonly #positions: PositionTracker
  readonly #store: PositionStore
  readonly #webSocket: WebSocketConstructor | undefined
  readonly #lifecycle: { readonly [Name in keyof BotLifecycle]: ((value: BotLifecycle[Name]) => unknown)[] } = {
    connected: [],
    disconnected: [],
    gap: [],
  }
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  #onError: ErrorHandler = (error) => console.error(error)
  #close: (reason: unknown) => void = () => {}
  #profile: Profile | undefined
  #isStarted = false
  #hasWebhook = false

  constructor({ positions = memoryPositions(), webSocket, ...options }: BotOptions) {
    this.client = new Client(options)
    this.#handlers = new Handlers(this.client, (error, event) => this.#report(error, event))
    this.#positions = new PositionTracker(positions, (error) => this.#report(error))
    this.#store = positions
    this.#webSocket = webSocket
    this.closed = new Promise((resolve) => (this.#close = resolve))
    this.voice = new Voice(this.client, () => this.profile.channels)
  }

  /** The application, its bot and the channels where it is installed, as of the start. */
  get profile(): Profile {
    if (!this.#profile) throw new PorticoError('The bot has no profile before it is started.')
    return this.#profile
  }

  /** Handles a command that people write, and declares it: it is suggested when they type `/`. */
  command(name: string, description: CommandDescription, handle: CommandHandler): this {
    this.#handlers.command(name, description, handle)
    return this
  }

  /** Handles an event, or what happens to the bot's connection. */
  on<Name extends EventName>(name: Name, handle: EventHandler<Name>): this
  on<Name extends keyof BotLifecycle>(name: Name, handle: (value: BotLifecycle[Name]) => unknown): this
  on(name: EventName | keyof BotLifecycle, handle: never): this {
    if (name in this.#lifecycle) this.#lifecycle[name as keyof BotLifecycle].push(handle)
    else this.#handlers.on(name as EventName, handle)
    return this
  }

  /** Sets what is done with errors. By default they are printed. */
  onError(handle: ErrorHandler): this {
    this.#onError = handle
    return this
  }

  /**
   * Declares the commands and connects to the event stream. Resolves when the bot receives events and has saved its position:
   * whatever happens from then on is handled. A bot with a `webhook` opens no stream.
   */
  async start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isStarted) throw new PorticoError('The bot was started already.')
    this.#isStarted = true
    signal?.addEventListener('abort', () => void this.stop(), { once: true })
    try {
      await this.#start(this.#stopping.signal)
    } catch (error) {
      this.#close(error)
      throw error
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    this.#profile = await this.client.getProfile({ signal })
    const { commands } = this.#handlers
    if (commands.length > 0) await declareCommands(this.client, commands, signal)
    if (this.#hasWebhook) return
    await this.#connect(signal)
    // From here on nothing is missed, even if the process is killed at once.
    await this.#positions.flush()
  }

  /** Disconnects, and resolves when everything that was received is handled. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    await this.#positions.flush()
    this.#close(undefined)
  }

  /**
   * A handler for deliveries of the portal's webhook, as a function from `Request` to `Response`. See `toNodeHandler`,
   * `toExpressHandler`, `toFastifyPlugin` and `toHonoHandler` for web frameworks.
   */
  webhook(options: WebhookOptions): WebhookHandler {
    this.#hasWebhook = true
    return webhookHandler(options, (event) => this.#handle(event))
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const since = await this.#store.load()
    let isConnected = false
    await new Promise<void>((resolve, reject) => {
      const stream = new EventStream(
        {
          client: this.client,
          webSocket: this.#webSocket,
          onSubscribed: (position, { isGap }) => {
            if (!isConnected || isGap) this.#positions.begin(position)
            isConnected = true
            if (isGap) this.#emit('gap', position)
            this.#emit('connected', position)
            resolve()
          },
          onEvent: (event, { epoch, offset }) => {
            this.#positions.receive(offset)
            this.#handle(event, () => this.#positions.finish(epoch, offset))
          },
          onDisconnected: (reason) => this.#emit('disconnected', reason),
        },
        since,
      )
      stream.run(signal).then(
        () => reject(new PorticoError('The bot was stopped before it was connected.')),
        (error: unknown) => {
          // Who started the bot gets the error, if it never was connected.
          if (!isConnected) return reject(error)
          this.#close(error)
          this.#report(error)
          void this.stop()
        },
      )
    })
  }

  #handle(event: BotEvent, finished?: () => void): void {
    const work = this.#handlers.handle(event).then(() => {
      this.#underWay.delete(work)
      finished?.()
    })
    this.#underWay.add(work)
  }

  #emit<Name extends keyof BotLifecycle>(name: Name, value: BotLifecycle[Name]): void {
    for (const handle of this.#lifecycle[name]) {
      Promise.resolve(value)
        .then(handle)
        .catch((error: unknown) => this.#report(error))
    }
  }

  #report(error: unknown, event?: BotEvent): void {
    try {
      this.#onError(error, event)
    } catch (thrown) {
      console.error(thrown)
    }
  }
}
