import type { Client } from '../client/client.ts'
import type { CommandDescription, DeclaredCommand } from '../commands/declare-commands.ts'
import {
  listOptions,
  usageOf,
  type NoOptions,
  type OptionDeclarations,
  type Suggest,
  type SuggestContext,
} from '../commands/options.ts'
import { parseCommand } from '../commands/parse-command.ts'
import { readOptions } from '../commands/read-options.ts'
import { stripFormatting } from '../commands/strip-formatting.ts'
import { isAboutMessage, type BotEvent, type EventName, type MessageEventName } from '../events/event.ts'
import { orderKey, type EventOrder } from '../events/event-order.ts'
import { OPT_IN_EVENTS } from '../events/event-names.ts'
import { answerErrors } from './answer-errors.ts'
import { CommandContext } from './command-context.ts'
import { Context, MessageContext, PressContext, type ContextOptions } from './context.ts'
import { RoomOrder } from '../client/room-order.ts'
import { Slots } from '../client/slots.ts'
import { KnownBots } from './known-bots.ts'
import { runThrough, type Middleware } from './middleware.ts'
import type { Retrier } from './retry.ts'
import type { EventSession, SessionChange, SessionDraft, Sessions, WithSession } from './sessions.ts'

/** The context that comes with an event. */
export type ContextOf<Name extends EventName> = Name extends 'component.pressed'
  ? PressContext
  : Name extends MessageEventName
    ? MessageContext<Name>
    : Context<Name>

/**
 * What a handler of `bot.on` gets: the event, and everything of its context. Here `event` is the name of the event; in other
 * handlers it is the whole event.
 */
export type EventContext<Name extends EventName, Session = unknown> = BotEvent<Name> &
  Omit<ContextOf<Name> & WithSession<Session>, keyof BotEvent>

/** Handles an event. One argument is enough; the second one is the same context without the event around it. */
export type EventHandler<Name extends EventName, Session = unknown> = (
  event: EventContext<Name, Session>,
  context: ContextOf<Name> & WithSession<Session>,
) => unknown

/** Handles a command. */
export type CommandHandler<Session = unknown, Options extends OptionDeclarations = NoOptions> = (
  context: CommandContext<Options> & WithSession<Session>,
) => unknown

/** Handles the press of a button. */
export type ButtonHandler<Session = unknown> = (context: Matched<PressContext> & WithSession<Session>) => unknown

/** Handles the choice of an option in a select. */
export type SelectHandler<Session = unknown> = (
  context: Matched<PressContext> & WithSession<Session> & { readonly value: string },
) => unknown

/** Handles a message that matches. */
export type HearsHandler<Session = unknown> = (
  context: Matched<MessageContext<'message.created'>> & WithSession<Session>,
) => unknown

/** Which messages `bot.hears` handles. */
export interface HearsOptions {
  /** Also messages of the bots of other applications. */
  readonly bots?: boolean | undefined
}

/** A context with what the handler was registered for. */
export type Matched<Each extends Context> = Each & {
  /** How the pattern matched; of a string, the whole text. */
  readonly match: RegExpExecArray
}

interface Handler {
  /** Distinguishes it from the others of the bot, the same at every start. */
  readonly name: string
  readonly event: EventName
  run(event: BotEvent, session?: SessionDraft): Promise<void>
}

interface HandlersOptions {
  readonly client: Client
  readonly retrier: Retrier
  readonly sessions: Sessions | undefined
  readonly order: EventOrder
  /** How many handlers run at the same time. */
  readonly concurrency: number
  readonly onError: (error: unknown, event: BotEvent) => void
}

const MOST_SUGGESTIONS = 25
const COMMAND_NAME = /^\/[\p{L}\p{N}-]+$/u

/**
 * The handlers of a bot. The events of a room are handled one after another, rooms in parallel, unless the bot wants another
 * order. A handler that fails with a temporary error is run again before the next event of the room; other errors are reported,
 * and the next event is handled.
 */
export class Handlers {
  readonly #client: Client
  readonly #knownBots: KnownBots
  readonly #retrier: Retrier
  readonly #sessions: Sessions | undefined
  readonly #onError: (error: unknown, event: BotEvent) => void
  readonly #eventOrder: EventOrder
  readonly #order = new RoomOrder()
  readonly #slots: Slots
  /** What has an order in which an event was interrupted, such as rooms. */
  readonly #interrupted = new Set<string>()
  readonly #handlers: Handler[] = []
  readonly #commands: DeclaredCommand[] = []
  readonly #middleware: Middleware[] = []
  #looksUpBots = false

  constructor({ client, retrier, sessions, order, concurrency, onError }: HandlersOptions) {
    this.#client = client
    this.#sessions = sessions
    this.#onError = onError
    this.#eventOrder = order
    this.#slots = new Slots(concurrency)
    this.#knownBots = new KnownBots(client)
    this.#retrier = retrier
  }

  /** What has handlers but isn't sent unless the bot asks for it. */
  get optInKinds(): EventName[] {
    return OPT_IN_EVENTS.filter((kind) => this.#handlers.some(({ event }) => event === kind))
  }

  get commands(): readonly DeclaredCommand[] {
    return this.#commands
  }

  /** Whether a handler needs to know who is a bot. */
  get looksUpBots(): boolean {
    return this.#looksUpBots
  }

  use(middleware: Middleware): void {
    this.#middleware.push(middleware)
  }

  on<Name extends EventName>(name: Name, handle: EventHandler<Name>): void {
    const contextOf = (options: ContextOptions<Name>): Context => contextFor(options)
    this.#add(name, this.#nameFor(name), contextOf, (context) =>
      handle(withContext(context) as never, context as never),
    )
  }

  command(name: string, described: CommandDescription<OptionDeclarations>, handle: CommandHandler): void {
    if (!COMMAND_NAME.test(name)) throw new TypeError(`${name} isn’t a command: it must be like /deploy`)
    if (this.#commandNamed(name)) throw new TypeError(`${name} has a handler already`)
    const { description, usage } = described
    const declared = listOptions(described.options ?? {})
    this.#commands.push({ name, description, usage, options: declared })
    const contextOf = async (options: ContextOptions<'message.created'>): Promise<CommandContext | undefined> => {
      const { channelId, data } = options.event
      const parsed = parseCommand(data.message.text)
      if (parsed?.name.toLowerCase() !== name.toLowerCase()) return undefined
      const written = { channelId, command: data.command, rest: parsed.rest }
      const read =
        declared.length > 0 ? await readOptions(this.#client, written, declared) : { options: {}, errors: [] }
      return new CommandContext(options, { ...parsed, ...read, name })
    }
    this.#add('message.created', name, contextOf, (context) =>
      context.errors.length > 0 ? answerErrors(context, usage ?? usageOf(declared)) : handle(context as never),
    )
    for (const [option, { suggest }] of Object.entries(described.options ?? {}))
      if (suggest) this.#suggest(name, option, suggest)
  }

  #suggest(command: string, option: string, suggest: Suggest): void {
    const contextOf = (options: ContextOptions<'option.requested'>): (Context & SuggestContext) | undefined => {
      const { roomId, typed, options: others, user, ...asked } = options.event.data
      if (asked.command !== command || asked.option !== option) return undefined
      return Object.assign(new Context<'option.requested'>(options), { roomId, typed, options: others, author: user })
    }
    this.#add('option.requested', `${command} ${option}`, contextOf, async (context) => {
      const suggested = (await suggest(context)).map((each) => (typeof each === 'object' ? each : { value: each }))
      const suggestions = suggested.slice(0, MOST_SUGGESTIONS).map((each) => ({ ...each, value: String(each.value) }))
      await this.#client.sendSuggestions({ requestId: context.event.data.requestId, suggestions })
    })
  }

  #commandNamed(name: string): DeclaredCommand | undefined {
    return this.#commands.find((command) => command.name.toLowerCase() === name.toLowerCase())
  }

  /** Commands of the bot itself have their own handlers. */
  hears(text: string | RegExp, { bots = false }: HearsOptions, handle: HearsHandler): void {
    if (!bots) this.#looksUpBots = true
    const pattern = typeof text === 'string' ? new RegExp(toPattern(text.trim()), 'iu') : toPattern(text)
    const contextOf = async (options: ContextOptions<'message.created'>) => {
      const { message } = options.event.data
      const command = parseCommand(message.text)
      if (command && this.#commandNamed(command.name)) return undefined
      const match = pattern.exec(typeof text === 'string' ? stripFormatting(message.text) : message.text)
      if (!match) return undefined
      const context = Object.assign(new MessageContext(options), { match })
      return !bots && (await context.author.isBot()) ? undefined : context
    }
    this.#add('message.created', this.#nameFor(`hears ${text}`), contextOf, handle)
  }

  /** A select always has a value, a button never. */
  press(type: 'button' | 'select', id: string | RegExp, handle: ButtonHandler | SelectHandler): void {
    const pattern = toPattern(id)
    const contextOf = (options: ContextOptions<'component.pressed'>): Matched<PressContext> | undefined => {
      const { componentId, value } = options.event.data
      const match = (value === undefined) === (type === 'button') ? pattern.exec(componentId) : null
      return match ? Object.assign(new PressContext(options), { match }) : undefined
    }
    this.#add('component.pressed', this.#nameFor(`${type} ${id}`), contextOf, handle as ButtonHandler)
  }

  #nameFor(what: string): string {
    const position = this.#handlers.filter(({ name }) => name.startsWith(`${what} `)).length
    return `${what} ${position}`
  }

  /** Adds a handler for the events that it has a context for. */
  #add<Name extends EventName, Each extends Context>(
    name: Name,
    handler: string,
    contextOf: (options: ContextOptions<Name>) => Each | undefined | Promise<Each | undefined>,
    handle: (context: Each) => unknown,
  ): void {
    const [client, knownBots] = [this.#client, this.#knownBots]
    const run = async (event: BotEvent, session?: SessionDraft): Promise<void> => {
      if (event.event !== name) return
      const context = await contextOf({ client, knownBots, event: event as BotEvent<Name>, handler, session })
      if (context) await this.#slots.run(() => runThrough<Each>(this.#middleware, context, handle))
    }
    this.#handlers.push({ name: handler, event: name, run })
  }

  /**
   * Resolves when all handlers of the event have ended. `finish` is called when they have finished, with the session if they have
   * changed it; not if the bot stopped before, and the event has to come again. Never rejects.
   */
  handle(event: BotEvent, finish: (change?: SessionChange) => void): Promise<void> {
    if (event.event === 'option.requested') return this.#runAtOnce(event)
    const key = orderKey(event, this.#eventOrder)
    return this.#order.run(key, async () => {
      // The events of a room come again from the one that was interrupted, in their order.
      if (this.#interrupted.has(key)) return
      const sessionKey = this.#sessionKeyOf(event)
      const isFinished =
        this.#sessions && sessionKey !== undefined
          ? await this.#sessions.run(sessionKey, (session) => this.#runWith(session, event, finish))
          : await this.#run(event, finish)
      if (!isFinished) this.#interrupted.add(key)
    })
  }

  /** A late answer is useless, so this neither waits for other events nor is retried. */
  async #runAtOnce(event: BotEvent): Promise<void> {
    const run = (handler: Handler): Promise<void> =>
      handler.run(event).catch((error: unknown) => this.#onError(error, event))
    await Promise.all(this.#handlers.map(run))
  }

  #sessionKeyOf(event: BotEvent): string | undefined {
    try {
      return this.#sessions?.keyOf(event)
    } catch (error) {
      this.#onError(error, event)
      return undefined
    }
  }

  async #run(event: BotEvent, finish: () => void): Promise<boolean> {
    const runs = this.#handlers.map((handler) => this.#retrier.run(event, () => handler.run(event)))
    const isFinished = !(await Promise.all(runs)).includes('interrupted')
    if (isFinished) finish()
    return isFinished
  }

  /** One handler after another, each with the session as those before have left it. */
  async #runWith(session: EventSession, event: BotEvent, finish: (change?: SessionChange) => void): Promise<boolean> {
    for (const handler of this.#handlers) {
      const outcome = await this.#retrier.run(event, async () => {
        const draft = await session.draft()
        await handler.run(event, draft)
        session.keep(draft)
      })
      if (outcome === 'interrupted') return false
    }
    // Before the next event with this session begins.
    finish(session.change)
    return true
  }
}

function contextFor(options: ContextOptions<EventName>): Context {
  const { event } = options
  if (event.event === 'component.pressed') return new PressContext(options as never)
  return isAboutMessage(event) ? new MessageContext(options as never) : new Context(options)
}

/** What belongs to the context isn't enumerable: printed, copied or converted to JSON it is the event alone. */
function withContext(context: Context): BotEvent {
  const event = { ...context.event }
  for (let part: object = context; part !== Object.prototype; part = Object.getPrototypeOf(part) as object) {
    for (const name of Object.getOwnPropertyNames(part)) {
      if (name in event) continue
      Object.defineProperty(event, name, {
        get: () => {
          const value: unknown = Reflect.get(context, name)
          return typeof value === 'function' ? (value.bind(context) as unknown) : value
        },
        set: (value) => {
          Reflect.set(context, name, value)
        },
      })
    }
  }
  return event
}

/** A string stands for itself. */
function toPattern(pattern: string | RegExp): RegExp {
  if (typeof pattern === 'string') return new RegExp(`^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)
  // With these flags a pattern remembers where it has matched before.
  return new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
}
