import { Client } from '../client/client.ts'
import { declareCommands, type CommandDescription } from '../commands/declare-commands.ts'
import type { NoOptions, OptionDeclarations } from '../commands/options.ts'
import { ConnectionError, isTemporary, MissingScopesError, NotFoundError, PorticoError } from '../client/errors.ts'
import { backoff, sleep } from '../client/sleep.ts'
import { checkEventName } from '../events/check-event-name.ts'
import type { BotEvent, EventName } from '../events/event.ts'
import { EVENT_NAMES, OPT_IN_EVENTS } from '../events/event-names.ts'
import { EventStream } from '../events/event-stream.ts'
import { PositionTracker } from '../events/position-tracker.ts'
import { memoryPositions, type PositionStore, type SessionStore } from '../events/positions.ts'
import type { WebSocketConstructor } from '../events/web-socket.ts'
import type { BotLifecycle, BotOptions, ErrorHandler } from './bot-options.ts'
import { ConnectionState } from './connection-state.ts'
import {
  Handlers,
  type ButtonHandler,
  type CommandHandler,
  type EventHandler,
  type HearsHandler,
  type HearsOptions,
  type SelectHandler,
} from './handlers.ts'
import type { Middleware } from './middleware.ts'
import { Retrier } from './retry.ts'
import { Sessions, type SessionChange, type WithSession } from './sessions.ts'
import type { Context } from './context.ts'
import type { Profile, Scope } from '../client/resources.ts'
import { Voice } from '../voice/voice.ts'
import { webhookHandler, type WebhookHandler, type WebhookOptions } from '../webhook/webhook.ts'

/** The part of Node's `process` that `run` uses; Deno and Bun have it, too. */
interface Signals {
  readonly pid: number
  once(signal: string, listener: (signal: string) => void): unknown
  off(signal: string, listener: (signal: string) => void): unknown
  kill(pid: number, signal: string): unknown
}

const CONCURRENCY = 100
const STOP_SIGNALS = ['SIGINT', 'SIGTERM']
/** In milliseconds: what a program may still do when a signal has stopped its bot. */
const ENDS_WITHIN = 5000

/**
 * A bot: handlers for commands and events, and the connection that they arrive on.
 *
 * Every event is handled at least once, in order per room unless `order` says otherwise. A handler that fails with a temporary error is run again with the
 * same event. Anything else that it throws goes to `onError`, and the bot continues.
 *
 * @example
 * const bot = new Bot({ url: 'http://localhost:3000', key: process.env.PORTICO_KEY })
 * bot.command('/hello', { description: 'Says hello' }, (ctx) => ctx.reply(`Hello, **${ctx.author.name}**!`))
 * await bot.run()
 */
export class Bot<Session = unknown> {
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
  readonly #webSocket: WebSocketConstructor | undefined
  readonly #lifecycle: { readonly [Name in keyof BotLifecycle]: ((value: BotLifecycle[Name]) => unknown)[] } = {
    started: [],
    warning: [],
    connected: [],
    disconnected: [],
    gap: [],
    retry: [],
  }
  readonly #connection = new ConnectionState()
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  readonly #scopes: readonly Scope[]
  /** Without retries of its own, so that a portal that is away is noticed at once. */
  readonly #probe: Client
  #onError: ErrorHandler | undefined
  #failure: unknown
  #isRunning = false
  #close: (reason: unknown) => void = () => {}
  #profile: Profile | undefined
  #isStarted = false
  #hasWebhook = false

  constructor({
    positions = memoryPositions(),
    webSocket,
    retry,
    scopes = [],
    session,
    order = 'room',
    concurrency = CONCURRENCY,
    ...options
  }: BotOptions<Session>) {
    if (!(concurrency >= 1)) throw new TypeError('concurrency must be at least 1')
    this.client = new Client(options)
    this.#probe = new Client({ ...options, retries: 0 })
    this.#scopes = scopes
    const retrier = new Retrier({
      retry,
      connected: (milliseconds, signal) => this.#connection.wait(milliseconds, signal),
      isConnected: () => this.#connection.isConnected,
      signal: this.#stopping.signal,
      onRetry: (again) => this.#emit('retry', again),
      onError: (error, event) => this.#report(error, event),
    })
    const onError = (error: unknown, event?: BotEvent): void => this.#report(error, event)
    this.#positions = new PositionTracker(positions, { sessions: session && sessionStore(positions), onError })
    const sessions = session && new Sessions(session, this.#positions)
    this.#handlers = new Handlers({ client: this.client, retrier, sessions, order, concurrency, onError })
    this.#webSocket = webSocket
    this.closed = new Promise((resolve) => (this.#close = resolve))
    this.voice = new Voice(this.client, () => this.profile.channels)
  }

  /** The application, its bot and the channels where it is installed, as of the start. */
  get profile(): Profile {
    if (!this.#profile) throw new PorticoError('The bot has no profile before it is started.')
    return this.#profile
  }

  /**
   * Handles a command that people write, and declares it: it is suggested when they type `/`. With `options` the handler gets their values
   * in `ctx.options`, and only runs if they are right; otherwise the author gets a notice that says what is wrong.
   *
   * @example
   * bot.command('/deploy', { description: 'Deploys a service', options: { service: string({ required: true }), count: integer({ min: 1 }) } }, (ctx) =>
   *   ctx.reply(`Deploying ${ctx.options.service} to ${ctx.options.count ?? 1} machines`),
   * )
   */
  command<const Options extends OptionDeclarations = NoOptions>(
    name: string,
    description: CommandDescription<Options>,
    handle: CommandHandler<Session, Options>,
  ): this {
    this.#handlers.command(name, description, handle as never)
    return this
  }

  /**
   * Runs a function around every handler, in the order in which they were added: what it does before `await next()` comes before the
   * handler, the rest after it. Without `next` the handler isn't run. It runs once for each handler of an event, and again when
   * the handler is run again.
   *
   * @example
   * bot.use(async (ctx, next) => {
   *   const start = performance.now()
   *   await next()
   *   console.log(ctx.event.event, performance.now() - start)
   * })
   */
  use(middleware: Middleware<Context & WithSession<Session>>): this {
    this.#handlers.use(middleware as Middleware)
    return this
  }

  /**
   * Handles new messages of people: those whose whole text is a string, apart from case and formatting, or in which a pattern is
   * found. Commands of the bot aren't among them, and messages of bots only with `{ bots: true }`. Needs the scope `channel:read`
   * to know who is a bot.
   *
   * @example
   * bot.hears(/\bticket (\d+)\b/i, (ctx) => ctx.reply(`https://tickets.example/${ctx.match[1]}`))
   */
  hears(text: string | RegExp, handle: HearsHandler<Session>): this
  hears(text: string | RegExp, options: HearsOptions, handle: HearsHandler<Session>): this
  hears(text: string | RegExp, options: HearsOptions | HearsHandler<Session>, handle?: HearsHandler<Session>): this {
    if (typeof options === 'function') this.#handlers.hears(text, {}, options as HearsHandler)
    else if (handle) this.#handlers.hears(text, options, handle as HearsHandler)
    return this
  }

  /**
   * Handles the press of a button of the bot's messages: all with this id, or with an id that matches.
   *
   * @example
   * bot.button(/^approve:(.+)$/, async (ctx) => {
   *   await ctx.update(`Approved by ${ctx.author.name}`, { components: [] })
   *   await ctx.notice(`You have approved ${ctx.match[1]}`)
   * })
   */
  button(id: string | RegExp, handle: ButtonHandler<Session>): this {
    this.#checkAsked('component.pressed')
    this.#handlers.press('button', id, handle as ButtonHandler)
    return this
  }

  /** Handles the choice of an option, `ctx.value`, in a select of the bot's messages: all with this id, or with an id that matches. */
  select(id: string | RegExp, handle: SelectHandler<Session>): this {
    this.#checkAsked('component.pressed')
    this.#handlers.press('select', id, handle as SelectHandler)
    return this
  }

  /** Handles an event, or what happens to the bot's connection. */
  on<Name extends EventName>(name: Name, handle: EventHandler<Name, Session>): this
  on<Name extends keyof BotLifecycle>(name: Name, handle: (value: BotLifecycle[Name]) => unknown): this
  on(name: EventName | keyof BotLifecycle, handle: never): this {
    if (Object.hasOwn(this.#lifecycle, name)) this.#lifecycle[name as keyof BotLifecycle].push(handle)
    else {
      const event = checkEventName(name, Object.keys(this.#lifecycle))
      this.#checkAsked(event)
      this.#handlers.on(event, handle)
    }
    return this
  }

  /** Throws if the event gets its first handler when it is too late to ask for it. */
  #checkAsked(event: EventName): void {
    const isMissing = OPT_IN_EVENTS.includes(event) && !this.#handlers.optInKinds.includes(event)
    if (!this.#isStarted || !isMissing) return
    throw new PorticoError(`The bot asks for ${event} when it starts: add its handler before that.`)
  }

  /** Sets what is done with errors. By default they are printed. */
  onError(handle: ErrorHandler): this {
    this.#onError = handle
    return this
  }

  /**
   * Starts the bot and resolves when it was stopped: with `stop`, Ctrl+C or SIGTERM. Rejects with the error that ended it, such
   * as a `DisplacedError`, so that the process exits with a code other than 0. Prints that the bot is online, unless there is a
   * handler for `started`. A process that is still alive five seconds after a signal has stopped the bot, because of a timer of its
   * own, is ended by that signal.
   */
  async run(): Promise<void> {
    this.#isRunning = true
    if (this.#lifecycle.started.length === 0) this.on('started', ({ bot }) => console.log(`${bot.name} is online`))
    const { process } = globalThis as { process?: Signals }
    let received: string | undefined
    const stop = (signal: string): void => {
      received = signal
      void this.stop()
    }
    for (const signal of STOP_SIGNALS) process?.once(signal, stop)
    try {
      if (!this.#isStarted) await this.start()
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error
    }
    const reason = await this.closed
    for (const signal of STOP_SIGNALS) process?.off(signal, stop)
    if (reason !== undefined) throw reason
    if (process && received !== undefined) endLater(process, received)
  }

  /**
   * Declares the commands and connects to the event stream. Resolves when the bot receives events and has saved its position:
   * whatever happens from then on is handled. A bot with a `webhook` opens no stream. Waits for a portal that is away.
   */
  async start({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isStarted) throw new PorticoError('The bot was started already.')
    this.#isStarted = true
    signal?.addEventListener('abort', () => void this.stop(), { once: true })
    if (signal?.aborted) void this.stop()
    try {
      await this.#start(this.#stopping.signal)
    } catch (error) {
      this.#close(this.#stopping.signal.aborted ? undefined : error)
      throw error
    }
  }

  async #start(signal: AbortSignal): Promise<void> {
    const profile = await this.#prepare(signal)
    this.#profile = profile
    if (this.#hasWebhook) await this.#askWebhook(signal)
    else {
      await this.#connect(signal)
      // From here on nothing is missed, even if the process is killed at once.
      await this.#positions.flush()
    }
    this.#emit('started', profile)
    if (profile.channels.length === 0) {
      this.#warn(`${profile.bot.name} isn’t installed in any channel: it gets no events until someone installs it.`)
    }
  }

  /** What the bot asks of the portal first, again and again while the portal is away. */
  async #prepare(signal: AbortSignal): Promise<Profile> {
    let said = ''
    for (let attempt = 0; ; attempt += 1) {
      try {
        const profile = await this.#probe.getProfile({ signal })
        await this.#checkScopes(signal)
        const { commands } = this.#handlers
        if (commands.length > 0) await declareCommands(this.client, commands, signal)
        return profile
      } catch (error) {
        if (signal.aborted || !isWorthWaiting(error)) throw error
        const { message } = error
        if (message !== said) this.#warn(`Waiting for the portal: ${message}`)
        said = message
        await sleep(backoff(attempt), signal)
      }
    }
  }

  /** So that a bot names everything that its key lacks, not one scope at each start. */
  async #checkScopes(signal: AbortSignal): Promise<void> {
    const hasCommands = this.#handlers.commands.length > 0
    const needed = new Set<Scope>(this.#scopes)
    if (hasCommands) needed.add('commands')
    if (!this.#hasWebhook) needed.add('events')
    if (this.#handlers.looksUpBots) needed.add('channel:read')
    const scopes = await this.client.getScopes({ signal }).then(
      (answer) => new Set<Scope>(answer.scopes),
      (error: unknown) => {
        // A portal of an earlier version.
        if (error instanceof NotFoundError) return undefined
        throw error
      },
    )
    if (!scopes) return
    const [first, ...others] = [...needed].filter((scope) => !scopes.has(scope))
    if (first) throw new MissingScopesError([first, ...others])
    if (hasCommands && !scopes.has('messages:write')) {
      this.#warn('The key lacks the scope messages:write: the bot gets commands, but can’t reply to them.')
    }
  }

  /**
   * Disconnects, and resolves when everything that was received is handled. What waits to be run again is left: with
   * `filePositions` it is handled after the next start.
   */
  async stop(): Promise<void> {
    this.#stopping.abort()
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    await this.#positions.flush()
    this.#close(this.#failure)
  }

  /**
   * A handler for deliveries of the portal's webhook, as a function from `Request` to `Response`. See `toNodeHandler`,
   * `toExpressHandler`, `toFastifyPlugin` and `toHonoHandler` for web frameworks.
   */
  webhook(options: WebhookOptions): WebhookHandler {
    this.#hasWebhook = true
    return webhookHandler(options, (event) => this.#handle(event))
  }

  /** Undefined if it gets what it wants without asking. */
  get #kinds(): readonly EventName[] | undefined {
    const asked = this.#handlers.optInKinds
    if (asked.length === 0) return undefined
    return EVENT_NAMES.filter((name) => !OPT_IN_EVENTS.includes(name) || asked.includes(name))
  }

  /** Adds to what the webhook sends what it doesn't send yet. */
  async #askWebhook(signal: AbortSignal): Promise<void> {
    const { optInKinds } = this.#handlers
    const asked = optInKinds.filter(isForWebhooks)
    if (asked.length < optInKinds.length)
      this.#warn('A webhook doesn’t get option.requested: suggestions need a stream.')
    if (asked.length === 0) return
    const { url, active, kinds } = await this.client.getWebhook({ signal })
    const missing = asked.filter((kind) => !kinds?.includes(kind))
    if (missing.length === 0) return
    const wanted = kinds ? [...kinds, ...missing] : (this.#kinds ?? []).filter(isForWebhooks)
    // Setting the address would turn it on again.
    if (active) await this.client.setWebhook({ url, kinds: wanted }, { signal })
    else this.#warn(`The webhook is off, and doesn’t send ${missing.join(', ')}: set its address again.`)
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const since = await this.#positions.load()
    let isConnected = false
    await new Promise<void>((resolve, reject) => {
      const stream = new EventStream(
        {
          client: this.client,
          kinds: this.#kinds,
          webSocket: this.#webSocket,
          onSubscribed: (position, { isGap }) => {
            if (!isConnected || isGap) this.#positions.begin(position)
            isConnected = true
            this.#connection.established()
            if (isGap) this.#emit('gap', position)
            this.#emit('connected', position)
            resolve()
          },
          onEvent: (event, position) => {
            if (!position) return this.#handle(event)
            const { epoch, offset } = position
            if (this.#positions.receive(offset)) this.#handle(event, () => this.#positions.finish(epoch, offset))
          },
          onDisconnected: (reason) => {
            this.#connection.lost()
            if (!isConnected) this.#warn(`Waiting for the event stream: ${reason}`)
            this.#emit('disconnected', reason)
          },
        },
        since,
      )
      stream.run(signal).then(
        () => reject(new PorticoError('The bot was stopped before it was connected.')),
        (error: unknown) => {
          // Who started the bot gets the error, if it never was connected.
          if (!isConnected) return reject(error)
          this.#failure = error
          // `run` rejects with it, which prints it.
          if (this.#onError || !this.#isRunning) this.#report(error)
          void this.stop()
        },
      )
    })
  }

  #handle(event: BotEvent, finished?: () => void): void {
    const finish = (change?: SessionChange): void => {
      // In one turn, so that both are saved at once.
      if (change) this.#positions.change(change.key, change.session)
      finished?.()
    }
    const work = this.#handlers.handle(event, finish).then(() => void this.#underWay.delete(work))
    this.#underWay.add(work)
  }

  #emit<Name extends keyof BotLifecycle>(name: Name, value: BotLifecycle[Name]): void {
    for (const handle of this.#lifecycle[name]) {
      Promise.resolve(value)
        .then(handle)
        .catch((error: unknown) => this.#report(error))
    }
  }

  #warn(message: string): void {
    if (this.#lifecycle.warning.length > 0) this.#emit('warning', message)
    else console.warn(message)
  }

  #report(error: unknown, event?: BotEvent): void {
    if (!this.#onError) return console.error(error)
    try {
      this.#onError(error, event)
    } catch (thrown) {
      console.error(thrown)
    }
  }
}

function sessionStore(positions: PositionStore): SessionStore {
  if ('saveState' in positions) return positions as SessionStore
  throw new TypeError('These positions can’t keep sessions: use filePositions, sqlitePositions or memoryPositions')
}

function isForWebhooks(kind: EventName): kind is Exclude<EventName, 'option.requested'> {
  return kind !== 'option.requested'
}

/** Whether the portal may be there later. A wrong scheme and a certificate that isn't trusted are someone's mistake. */
function isWorthWaiting(error: unknown): error is Error {
  if (error instanceof ConnectionError && (error.problem === 'scheme' || error.problem === 'tls')) return false
  return isTemporary(error)
}

/** Ends a process that something else keeps alive. */
function endLater(process: Signals, signal: string): void {
  const timer: unknown = setTimeout(() => process.kill(process.pid, signal), ENDS_WITHIN)
  // Deno's timers have no `unref`: this one would itself keep the process alive.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) (timer as { unref(): void }).unref()
  else clearTimeout(timer as number)
}
