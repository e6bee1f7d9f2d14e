import type { Client } from '../client/client.ts'
import type { CommandDescription } from '../commands/declare-commands.ts'
import { parseCommand } from '../commands/parse-command.ts'
import { isAboutMessage, orderKey, type BotEvent, type EventName, type MessageEventName } from '../events/event.ts'
import { OPT_IN_EVENTS } from '../events/event-names.ts'
import { CommandContext, Context, MessageContext } from './context.ts'
import { RoomOrder } from '../client/room-order.ts'
import { KnownBots } from './known-bots.ts'
import type { Retrier } from './retry.ts'

/** The context that comes with an event. */
export type ContextOf<Name extends EventName> = Name extends MessageEventName ? MessageContext<Name> : Context<Name>

/** Handles an event. */
export type EventHandler<Name extends EventName> = (event: BotEvent<Name>, context: ContextOf<Name>) => unknown

/** Handles a command. */
export type CommandHandler = (context: CommandContext) => unknown

interface Handler {
  /** The command or event. */
  readonly name: string
  run(event: BotEvent): unknown
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

  constructor(client: Client, retrier: Retrier) {
    this.#client = client
    this.#knownBots = new KnownBots(client)
    this.#retrier = retrier
  }

  /** What has handlers but isn't sent unless the bot asks for it. */
  get optInKinds(): EventName[] {
    return OPT_IN_EVENTS.filter((event) => this.#handlers.some(({ name }) => name === event))
  }

  get commands(): readonly RegisteredCommand[] {
    return this.#commands
  }

  on<Name extends EventName>(name: Name, handle: EventHandler<Name>): void {
    const position = this.#handlers.filter((other) => other.name === name).length
    const handler = `${name} ${position}`
    this.#handlers.push({
      name,
      run: (event) => {
        if (event.event !== name) return undefined
        const options = { client: this.#client, knownBots: this.#knownBots, event: event as BotEvent<Name>, handler }
        const context = isAboutMessage(event) ? new MessageContext(options as never) : new Context(options)
        return handle(event as BotEvent<Name>, context as ContextOf<Name>)
      },
    })
  }

  command(name: string, description: CommandDescription, handle: CommandHandler): void {
    if (!COMMAND_NAME.test(name)) throw new TypeError(`${name} isn’t a command: it must be like /deploy`)
    const isSame = (command: { readonly name: string }): boolean => command.name.toLowerCase() === name.toLowerCase()
    if (this.#commands.some(isSame)) throw new TypeError(`${name} has a handler already`)
    this.#commands.push({ name, ...description })
    this.#handlers.push({
      name,
      run: (event) => {
        if (event.event !== 'message.created') return undefined
        const parsed = parseCommand(event.data.message.text)
        if (!parsed || !isSame(parsed)) return undefined
        const options = { client: this.#client, knownBots: this.#knownBots, event, handler: name }
        return handle(new CommandContext(options, { ...parsed, name }))
      },
    })
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
