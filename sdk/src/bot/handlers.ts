import type { Client } from '../client/client.ts'
import type { CommandDescription } from '../commands/declare-commands.ts'
import { parseCommand } from '../commands/parse-command.ts'
import { stripFormatting } from '../commands/strip-formatting.ts'
import { isAboutMessage, orderKey, type BotEvent, type EventName, type MessageEventName } from '../events/event.ts'
import { OPT_IN_EVENTS } from '../events/event-names.ts'
import { CommandContext, Context, MessageContext, PressContext, type ContextOptions } from './context.ts'
import { RoomOrder } from '../client/room-order.ts'
import { KnownBots } from './known-bots.ts'
import { runThrough, type Middleware } from './middleware.ts'
import type { Retrier } from './retry.ts'

/** The context that comes with an event. */
export type ContextOf<Name extends EventName> = Name extends 'component.pressed'
  ? PressContext
  : Name extends MessageEventName
    ? MessageContext<Name>
    : Context<Name>

/** Handles an event. */
export type EventHandler<Name extends EventName> = (event: BotEvent<Name>, context: ContextOf<Name>) => unknown

/** Handles a command. */
export type CommandHandler = (context: CommandContext) => unknown

/** Handles the press of a button. */
export type ButtonHandler = (context: Matched<PressContext>) => unknown

/** Handles the choice of an option in a select. */
export type SelectHandler = (context: Matched<PressContext> & { readonly value: string }) => unknown

/** Handles a message that matches. */
export type HearsHandler = (context: Matched<MessageContext<'message.created'>>) => unknown

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
  run(event: BotEvent): Promise<void>
}

interface RegisteredCommand extends CommandDescription {
  readonly name: string
}

const COMMAND_NAME = /^\/[\p{L}\p{N}-]+$/u

/**
 * The handlers of a bot. The events of a room are handled one after another, rooms in parallel. A handler that fails with a
 * temporary error is run again before the next event of the room; other errors are reported, and the next event is handled.
 */
export class Handlers {
  readonly #client: Client
  readonly #knownBots: KnownBots
  readonly #retrier: Retrier
  readonly #order = new RoomOrder()
  /** The rooms in which an event was interrupted. */
  readonly #interrupted = new Set<string>()
  readonly #handlers: Handler[] = []
  readonly #commands: RegisteredCommand[] = []
  readonly #middleware: Middleware[] = []
  #looksUpBots = false

  constructor(client: Client, retrier: Retrier) {
    this.#client = client
    this.#knownBots = new KnownBots(client)
    this.#retrier = retrier
  }

  /** What has handlers but isn't sent unless the bot asks for it. */
  get optInKinds(): EventName[] {
    return OPT_IN_EVENTS.filter((kind) => this.#handlers.some(({ event }) => event === kind))
  }

  get commands(): readonly RegisteredCommand[] {
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
    this.#add(name, this.#nameFor(name), contextOf, (context) => handle(context.event as never, context as never))
  }

  command(name: string, description: CommandDescription, handle: CommandHandler): void {
    if (!COMMAND_NAME.test(name)) throw new TypeError(`${name} isn’t a command: it must be like /deploy`)
    if (this.#commandNamed(name)) throw new TypeError(`${name} has a handler already`)
    this.#commands.push({ name, ...description })
    const contextOf = (options: ContextOptions<'message.created'>): CommandContext | undefined => {
      const parsed = parseCommand(options.event.data.message.text)
      const isSame = parsed?.name.toLowerCase() === name.toLowerCase()
      return parsed && isSame ? new CommandContext(options, { ...parsed, name }) : undefined
    }
    this.#add('message.created', name, contextOf, handle)
  }

  #commandNamed(name: string): RegisteredCommand | undefined {
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
    const run = async (event: BotEvent): Promise<void> => {
      if (event.event !== name) return
      const context = await contextOf({ client, knownBots, event: event as BotEvent<Name>, handler })
      if (context) await runThrough<Each>(this.#middleware, context, handle)
    }
    this.#handlers.push({ name: handler, event: name, run })
  }

  /**
   * Resolves when all handlers of the event have finished, with whether they have: false if the bot stopped before, and the
   * event has to come again. Never rejects.
   */
  handle(event: BotEvent): Promise<boolean> {
    const key = orderKey(event)
    return this.#order.run(key, async () => {
      // The events of a room come again from the one that was interrupted, in their order.
      if (this.#interrupted.has(key)) return false
      const outcomes = await Promise.all(
        this.#handlers.map((handler) => this.#retrier.run(event, () => handler.run(event))),
      )
      const isFinished = !outcomes.includes('interrupted')
      if (!isFinished) this.#interrupted.add(key)
      return isFinished
    })
  }
}

function contextFor(options: ContextOptions<EventName>): Context {
  const { event } = options
  if (event.event === 'component.pressed') return new PressContext(options as never)
  return isAboutMessage(event) ? new MessageContext(options as never) : new Context(options)
}

/** A string stands for itself. */
function toPattern(pattern: string | RegExp): RegExp {
  if (typeof pattern === 'string') return new RegExp(`^${pattern.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`)
  // With these flags a pattern remembers where it has matched before.
  return new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''))
}
